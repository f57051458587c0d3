; error: 3:10: unknown function or constant fooo; did you mean foo?
(declare-fun foo (Int) Bool)
(assert (fooo 1))
