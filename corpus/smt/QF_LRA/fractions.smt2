; Constants that only rationals can hold.
(set-logic QF_LRA)
(set-info :status sat)
(declare-const a Real)
(declare-const b Real)
(assert (= (+ (* (/ 1 3) a) (* (/ 1 7) b)) (/ 22 21)))
(assert (< 0.000000000001 (- a b) (/ 5 7)))
(assert (not (<= a 2.0)))
(check-sat)
