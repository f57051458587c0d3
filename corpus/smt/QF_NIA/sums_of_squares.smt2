; Seven modulo eight is no sum of three squares.
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (= (+ (* x x) (* y y) (* z z)) 7))
(check-sat)
