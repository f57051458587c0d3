; The quotient by zero is one number, the same for equal numerators.
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const z Real)
(assert (= (* z z) 0.0))
(assert (= (/ x z) 7.0))
(assert (or (= (/ (+ x 1.0) z) 8.0) (= (/ x (* z z z)) 6.0)))
(check-sat)
