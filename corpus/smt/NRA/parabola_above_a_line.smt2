; A parabola lifted off a line.
(set-logic NRA)
(set-info :status sat)
(declare-const c Real)
(assert (forall ((x Real)) (> (+ (* x x) c) x)))
(assert (< c 1.0))
(check-sat)
