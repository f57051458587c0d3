; A quotient by a difference that a product forbids to vanish.
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (not (= (* (- x y) (+ x y)) 0.0)))
(assert (= (/ (- (* x x) (* y y)) (- x y)) (+ x y 1.0)))
(check-sat)
