; error: 3:35: this variable is of sort Bool, expected Int
(declare-const x Int)
(assert (forall ((x Bool)) (= (as x Int) 1)))
