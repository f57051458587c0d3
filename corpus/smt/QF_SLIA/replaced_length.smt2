; Lengths before and after a replacement.
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const s String)
(declare-const n Int)
(assert (= n (str.len (str.replace "abab" "b" "xyz"))))
(assert (= (str.len s) (- n 4)))
(assert (= (str.replace s "a" "aa") s))
(check-sat)
