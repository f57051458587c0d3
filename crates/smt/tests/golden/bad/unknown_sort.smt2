; error: 2:18: unknown sort Innt; did you mean Int?
(declare-const x Innt)
