; A cut that begins outside of the word is empty.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const s String)
(declare-const n Int)
(assert (distinct (str.substr s n 3) ""))
(assert (or (< n 0) (>= n (str.len s))))
(check-sat)
