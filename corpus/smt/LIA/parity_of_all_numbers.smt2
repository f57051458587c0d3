; Every number is even or odd.
(set-logic LIA)
(set-info :status sat)
(declare-const k Int)
(assert (forall ((n Int)) (exists ((h Int)) (or (= n (* 2 h)) (= n (+ (* 2 h) k))))))
(assert (not (= k 1)))
(check-sat)
