; A let under a quantifier, with a name bound again.
(set-logic LRA)
(set-info :status sat)
(declare-const t Real)
(assert (forall ((x Real)) (let ((y (+ x t))) (let ((x (ite (< y 0.0) (- y) y))) (>= (+ x x) 0.0)))))
(assert (exists ((x Real)) (let ((x (* 2.0 x)) (u x)) (< x u t))))
(check-sat)
