; Two reciprocals with a sum and a product.
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (= (+ (/ 1.0 x) (/ 1.0 y)) 1.0))
(assert (= (/ (* x y) (- x y)) 8.0))
(assert (> x y))
(check-sat)
