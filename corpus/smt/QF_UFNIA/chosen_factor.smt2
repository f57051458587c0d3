; A function that names a factor.
(set-logic QF_UFNIA)
(set-info :status sat)
(declare-fun factor (Int) Int)
(assert (= (* (factor 91) (factor 92)) 91))
(assert (< 1 (factor 91) 91))
(assert (= (mod 92 (factor (factor 91))) 0))
(check-sat)
