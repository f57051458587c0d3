; error: 2:16: expected the name of a constant, found _
(declare-const _ Int)
