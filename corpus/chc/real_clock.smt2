; A clock over the reals with a guard.
(set-logic HORN)
(set-info :status sat)
(declare-fun run (Real Bool) Bool)
(assert (forall ((t Real)) (=> (= t 0.0) (run t true))))
(assert (forall ((t Real) (d Real)) (=> (and (run t true) (< 0.0 d 0.5) (< t 2.0)) (run (+ t d) (< (+ t d) 2.0)))))
(assert (forall ((t Real) (b Bool)) (=> (and (run t b) (>= t 2.5)) false)))
(check-sat)
