; Some square lies below every shifted square.
(set-logic NRA)
(set-info :status sat)
(declare-const e Real)
(assert (forall ((x Real)) (exists ((y Real)) (< (* y y) (+ (* x x) e)))))
(assert (> e 0.0))
(check-sat)
