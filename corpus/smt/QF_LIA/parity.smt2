; An odd number is not twice another.
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (= (+ (* 4 x) (* 6 y) (- (* 10 z))) 7))
(check-sat)
