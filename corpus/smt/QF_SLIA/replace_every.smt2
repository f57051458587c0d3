; Every occurrence of a word replaced.
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const s String)
(assert (= (str.len (str.replace_all "banana" "an" "-+-")) (+ 5 (str.len s))))
(assert (= (str.replace_all (str.++ "b" s) "b" "-") "-an-"))
(check-sat)
