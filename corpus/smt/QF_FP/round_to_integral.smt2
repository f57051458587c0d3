; Rounding up is not below rounding down, and no integer lies between.
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(assert (fp.lt (fp.roundToIntegral RTP x) (fp.roundToIntegral RTN x)))
(check-sat)
