; A recursive function, unfolded at a constant.
(set-logic ALL)
(set-info :status sat)
(declare-const n Int)
(define-fun-rec triangle ((k Int)) Int (ite (<= k 0) 0 (+ k (triangle (- k 1)))))
(assert (= (triangle 4) (+ n 3)))
(check-sat)
