; A negative word becomes a negative float, and a negative float no small unsigned word.
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const w (_ BitVec 6))
(assert (bvslt w #b000000))
(assert (not (fp.isNegative ((_ to_fp 8 24) RTP w))))
(check-sat)
