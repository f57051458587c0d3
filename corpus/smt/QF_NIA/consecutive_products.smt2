; The product of two consecutive numbers is even.
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const n Int)
(assert (and (<= (- 4) n) (<= n 5)))
(assert (= (mod (* n (+ n 1)) 2) 1))
(check-sat)
