; Floats in order have values in order.
(set-logic QF_FPLRA)
(set-info :status unsat)
(declare-const r Real)
(define-fun a () Float32 ((_ to_fp 8 24) RNE 0.3))
(define-fun b () Float32 ((_ to_fp 8 24) RNE (+ 0.1 0.25)))
(assert (fp.lt a b))
(assert (and (< (fp.to_real b) r) (< r (fp.to_real a))))
(check-sat)
