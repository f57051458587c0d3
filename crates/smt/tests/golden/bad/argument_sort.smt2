; error: 3:14: argument 2 of f is of sort Bool, expected Int
(declare-fun f (Int Int) Bool)
(assert (f 1 true))
