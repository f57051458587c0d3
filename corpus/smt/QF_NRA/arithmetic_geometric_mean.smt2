; The arithmetic mean is not below the geometric one.
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const a Real)
(declare-const b Real)
(assert (and (>= a 0.0) (>= b 0.0)))
(assert (< (* (+ a b) (+ a b)) (* 4.0 a b)))
(check-sat)
