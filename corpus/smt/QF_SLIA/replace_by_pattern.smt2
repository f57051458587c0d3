; What a pattern finds replaced, once and everywhere.
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const s String)
(assert (= (str.replace_re_all "a1b22c" (re.range "0" "9") s) "a-b--c"))
(assert (= (str.replace_re "a1b22c" (re.+ (re.range "0" "9")) (str.++ s s)) (str.++ "a" s s "b22c")))
(check-sat)
