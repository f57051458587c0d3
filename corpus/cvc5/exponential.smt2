; The exponential function grows faster than a line.
(set-logic ALL)
(set-info :status unsat)
(declare-const x Real)
(assert (< (exp x) (+ x 1.0)))
(assert (> x 0.0))
(check-sat)
