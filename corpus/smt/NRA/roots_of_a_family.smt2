; A family of parabolas, all of which would have to miss their axis.
(set-logic NRA)
(set-info :status unsat)
(declare-const a Real)
(declare-const b Real)
(assert (forall ((x Real)) (> (+ (* a x x) (* b x)) 0.0)))
(check-sat)
