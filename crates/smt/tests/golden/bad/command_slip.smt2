; error: 2:1: unknown command assertt; did you mean assert?
(assertt true)
