; A convex function lies above no chord.
(set-logic UFLRA)
(set-info :status unsat)
(declare-fun f (Real) Real)
(assert (forall ((x Real) (y Real)) (! (<= (f (/ (+ x y) 2.0)) (/ (+ (f x) (f y)) 2.0)) :pattern ((f x) (f y)))))
(assert (= (f 0.0) 0.0))
(assert (= (f 2.0) 2.0))
(assert (> (f (/ (+ 0.0 2.0) 2.0)) 1.5))
(check-sat)
