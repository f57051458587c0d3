; A word with more bits than the float has, rounded up and down.
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const w (_ BitVec 32))
(declare-const m RoundingMode)
(assert (= ((_ extract 31 8) w) #x800001))
(assert (not (= ((_ to_fp_unsigned 8 24) m w) ((_ to_fp_unsigned 8 24) RTZ w))))
(assert (= ((_ to_fp 8 24) m w) ((_ to_fp 8 24) RTP w)))
(check-sat)
