; Words that commute are powers of one word; these are not.
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(assert (= (str.++ x "ab") (str.++ "ab" x)))
(assert (str.prefixof "aba" x))
(assert (str.suffixof "ba" x))
(check-sat)
