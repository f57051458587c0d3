; error: 2:18: the sort Array takes 2 arguments, not 1
(declare-const x (Array Int))
