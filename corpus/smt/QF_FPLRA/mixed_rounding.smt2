; A real rounded into a float and compared with it.
(set-logic QF_FPLRA)
(set-info :status sat)
(declare-const r Real)
(declare-const m RoundingMode)
(assert (= r (/ 3.0 5.0)))
(assert (< r (fp.to_real ((_ to_fp 8 24) m r))))
(assert (distinct m RNA RTP))
(check-sat)
