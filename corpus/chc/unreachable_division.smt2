; A loop that halves and never leaves its interval.
(set-logic HORN)
(set-info :status sat)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 40) (p x))))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (> x 1) (= y (div x 2))) (p y))))
(assert (forall ((x Int)) (=> (and (p x) (not (<= 1 x 40))) false)))
(check-sat)
