; Only single letters have a code, only codes have a letter.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const s String)
(declare-const n Int)
(assert (or (and (= (str.len s) 2) (distinct (str.to_code s) (- 1)))
            (and (< n 0) (distinct (str.from_code n) ""))
            (> (str.to_code s) 196607)))
(check-sat)
