; A negative number has no decimal word, and no word has a negative value but -1.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const n Int)
(declare-const s String)
(assert (or (and (< n 0) (distinct (str.from_int n) ""))
            (< (str.to_int s) (- 1))))
(check-sat)
