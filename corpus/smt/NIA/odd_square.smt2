; Some odd number with an even square.
(set-logic NIA)
(set-info :status unsat)
(assert (exists ((n Int)) (and (<= 0 n 15) (= (mod n 2) 1) (= (mod (* n n) 2) 0))))
(check-sat)
