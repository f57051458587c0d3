; A saturating step, applied three times.
(set-logic QF_LIA)
(set-info :status sat)
(declare-const x Int)
(define-fun next ((v Int)) Int (ite (< v 0) (- v) (ite (> v 100) (div v 2) (+ v v 1))))
(assert (= (next (next (next x))) 95))
(assert (distinct x 11 (- 11)))
(assert (< (- 400) x 400))
(check-sat)
