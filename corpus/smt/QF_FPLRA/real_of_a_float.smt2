; The real value of a float, between two thirds and three quarters.
(set-logic QF_FPLRA)
(set-info :status sat)
(declare-const x Float32)
(declare-const r Real)
(assert (= r (fp.to_real x)))
(assert (< (/ 2.0 3.0) r 0.75))
(assert (= x ((_ to_fp 8 24) RTZ 0.7)))
(check-sat)
