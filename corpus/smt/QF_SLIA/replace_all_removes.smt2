; What was replaced everywhere is no longer there.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const s String)
(assert (str.contains (str.replace_all "abcabc" "b" s) "b"))
(assert (not (str.contains s "b")))
(check-sat)
