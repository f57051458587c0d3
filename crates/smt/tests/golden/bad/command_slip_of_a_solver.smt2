; error: 2:1: unknown command declare-rell; did you mean declare-rel?
(declare-rell p (Int))
