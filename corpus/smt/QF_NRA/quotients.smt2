; A fraction above one whose denominator is the larger.
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const p Real)
(declare-const q Real)
(assert (> p 0.0))
(assert (> q p))
(assert (>= (/ p q) 1.0))
(check-sat)
