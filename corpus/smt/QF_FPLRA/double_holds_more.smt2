; What double precision tells apart single precision joins.
(set-logic QF_FPLRA)
(set-info :status unsat)
(declare-const r Real)
(define-fun d () Float64 ((_ to_fp 11 53) RNE r))
(assert (= r 1.00000001))
(assert (or (= (fp.to_real d) 1.0) (not (= (fp.to_real ((_ to_fp 8 24) RNE r)) 1.0))))
(check-sat)
