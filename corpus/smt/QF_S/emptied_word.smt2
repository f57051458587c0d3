; Removing one letter at a time.
(set-logic QF_S)
(set-info :status unsat)
(declare-const s String)
(assert (= s (str.replace (str.replace "abba" "b" "") "b" "")))
(assert (not (= s "aa")))
(check-sat)
