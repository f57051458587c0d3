; A fraction with a positive square below is not negative.
(set-logic NRA)
(set-info :status unsat)
(assert (exists ((x Real)) (< (/ (* x x) (+ 1.0 (* x x))) 0.0)))
(check-sat)
