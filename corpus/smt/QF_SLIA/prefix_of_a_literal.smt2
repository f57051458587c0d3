; A replacement beyond a prefix leaves it as it is.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const s String)
(assert (= s (str.replace "level" "l" "r")))
(assert (not (and (str.prefixof "reve" s) (str.suffixof "l" s) (= (str.len s) 5))))
(check-sat)
