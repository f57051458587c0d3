; The product of two lengths.
(set-logic QF_SNIA)
(set-info :status sat)
(declare-const a String)
(declare-const b String)
(assert (= (* (str.len a) (str.len b)) 6))
(assert (str.prefixof a b))
(assert (= (str.to_int a) (* (str.len b) (str.len b))))
(check-sat)
