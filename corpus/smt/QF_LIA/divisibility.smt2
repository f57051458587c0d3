; Divisible by six, and not by three.
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const n Int)
(assert (= (mod n 6) 0))
(assert (distinct (mod (- n) 3) 0))
(check-sat)
