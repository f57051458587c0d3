; The empty word is found wherever the search begins inside the word.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const s String)
(declare-const i Int)
(assert (and (<= 0 i) (<= i (str.len s))))
(assert (distinct (str.indexof s "" i) i))
(check-sat)
