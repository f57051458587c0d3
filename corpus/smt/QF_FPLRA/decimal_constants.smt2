; One tenth is no float, and both directions miss it.
(set-logic QF_FPLRA)
(set-info :status unsat)
(define-fun down () Float32 ((_ to_fp 8 24) RTN 0.1))
(define-fun up () Float32 ((_ to_fp 8 24) RTP 0.1))
(declare-const r Real)
(assert (and (<= (fp.to_real down) r) (<= r (fp.to_real up)) (= r 0.1)))
(assert (or (fp.eq down up) (= (fp.to_real ((_ to_fp 8 24) RNE 0.1)) r)))
(check-sat)
