; A half, rounded to words by every mode.
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float32)
(declare-const m RoundingMode)
(assert (= x ((_ to_fp 8 24) RNE 2.5)))
(assert (= ((_ fp.to_sbv 8) m (fp.neg x)) #xfe))
(assert (= ((_ fp.to_ubv 8) m x) #x03))
(check-sat)
