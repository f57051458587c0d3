; Strictly between two clocks that are equal.
(set-logic QF_RDL)
(set-info :status unsat)
(declare-const s Real)
(declare-const t Real)
(declare-const u Real)
(assert (and (< s t) (< t u)))
(assert (<= (- u s) 0))
(check-sat)
