; The sine of a multiple of pi between three and four is zero.
(set-logic ALL)
(set-info :status unsat)
(declare-const x Real)
(assert (= x (+ pi 0.0)))
(assert (or (< x 3.0) (> x 4.0) (distinct (sin x) 0.0)))
(check-sat)
