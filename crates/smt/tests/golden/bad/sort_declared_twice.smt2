; error: 3:15: the sort S is already declared
(declare-sort S 0)
(declare-sort S 1)
