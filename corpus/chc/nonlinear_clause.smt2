; A clause with two calls of the same predicate.
(set-logic HORN)
(set-info :status unsat)
(declare-fun fib (Int Int) Bool)
(assert (forall ((n Int)) (=> (<= 0 n 1) (fib n n))))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (fib n a) (fib (+ n 1) b)) (fib (+ n 2) (+ a b)))))
(assert (forall ((a Int)) (=> (and (fib 5 a) (> a 4)) false)))
(check-sat)
