; Replacing the first letter there and back.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const s String)
(assert (= s (str.replace (str.replace "pepper" "p" "t") "t" "p")))
(assert (or (distinct s "pepper") (> (str.indexof s "t" 0) 0)))
(check-sat)
