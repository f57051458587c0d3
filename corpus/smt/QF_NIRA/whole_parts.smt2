; Whole parts of products, and a number that is whole only when doubled.
(set-logic QF_NIRA)
(set-info :status sat)
(declare-const a Int)
(declare-const r Real)
(assert (= (* (to_real a) r) (+ 1.5 (to_real (to_int r)))))
(assert (or (not (is_int (to_real a))) (is_int (+ r r))))
(assert (< 1 a 4))
(check-sat)
