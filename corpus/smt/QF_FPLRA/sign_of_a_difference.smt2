; The difference of equal numbers, as a float and as a real.
(set-logic QF_FPLRA)
(set-info :status unsat)
(declare-const x Float32)
(declare-const r Real)
(assert (= x ((_ to_fp 8 24) RTZ 2.75)))
(assert (= r (- (fp.to_real x) 2.75)))
(assert (or (> r 0.0) (< r 0.0) (fp.isNegative (fp.sub RNE x x))))
(check-sat)
