; No point of a triangle is farther along than its corners.
(set-logic LRA)
(set-info :status unsat)
(declare-const c Real)
(assert (forall ((x Real) (y Real)) (=> (and (>= x 0.0) (>= y 0.0) (<= (+ x y) 1.0)) (< (+ (* 2.0 x) y) c))))
(assert (<= c 2.0))
(check-sat)
