; A sine is at most one.
(set-logic ALL)
(set-info :status unsat)
(declare-const x Real)
(assert (> (+ (sin x) (sin (+ x real.pi))) 2.0))
(check-sat)
