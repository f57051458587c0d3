; error: 3:16: x is already declared
(declare-const x Int)
(declare-const x Int)
