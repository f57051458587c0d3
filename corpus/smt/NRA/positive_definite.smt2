; A form that is positive everywhere but at the origin.
(set-logic NRA)
(set-info :status unsat)
(assert (exists ((x Real) (y Real)) (and (< (+ (* x x) (* x y) (* y y)) 0.0) (distinct x y))))
(check-sat)
