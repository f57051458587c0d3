; A tent map with a point of period three.
(set-logic QF_LRA)
(set-info :status sat)
(declare-const x Real)
(define-fun tent ((v Real)) Real (ite (< v 0.5) (* 2.0 v) (- 2.0 (* 2.0 v))))
(assert (and (< 0.0 x) (< x 1.0)))
(assert (= (tent (tent (tent x))) x))
(assert (distinct (tent x) x))
(check-sat)
