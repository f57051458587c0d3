; The remainder of exact multiples is a zero with the sign of the dividend.
(set-logic QF_FP)
(set-info :status unsat)
(define-fun six () Float32 (fp #b1 #x81 #b10000000000000000000000))
(define-fun two () Float32 (fp #b0 #x80 #b00000000000000000000000))
(declare-const z Float32)
(assert (= z (fp.rem six two)))
(assert (or (not (fp.isZero z)) (fp.isPositive z) (fp.eq z (fp.rem two six))))
(check-sat)
