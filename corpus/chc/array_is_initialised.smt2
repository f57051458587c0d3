; A loop that writes zeros.
(set-logic HORN)
(set-info :status sat)
(declare-fun loop ((Array Int Int) Int) Bool)
(assert (forall ((a (Array Int Int))) (loop a 0)))
(assert (forall ((a (Array Int Int)) (i Int)) (=> (and (loop a i) (< i 4)) (loop (store a i 0) (+ i 1)))))
(assert (forall ((a (Array Int Int)) (i Int)) (=> (and (loop a i) (< i 0)) false)))
(check-sat)
