; A fused product that rounds once where two operations round twice.
(set-logic QF_FP)
(set-info :status sat)
(declare-const m RoundingMode)
(define-fun a () Float32 (fp #b0 #x7f #b00000000000000000000001))
(define-fun b () Float32 (fp #b1 #x7f #b00000000000000000000010))
(assert (not (= (fp.fma RTN a a b) (fp.add m (fp.mul m a a) b))))
(assert (= (fp.sub m a a) (_ -zero 8 24)))
(check-sat)
