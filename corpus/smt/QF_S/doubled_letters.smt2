; A letter doubled where it first occurs.
(set-logic QF_S)
(set-info :status sat)
(declare-const s String)
(declare-const t String)
(assert (= s (str.replace "feed" "e" "ee")))
(assert (= (str.++ t "ed") (str.replace s "ee" "e")))
(assert (str.in_re t (re.+ (re.range "e" "f"))))
(check-sat)
