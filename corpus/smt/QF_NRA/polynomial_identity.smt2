; A factorisation that holds everywhere.
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (distinct (- (* x x x) (* y y y)) (* (- x y) (+ (* x x) (* x y) (* y y)))))
(check-sat)
