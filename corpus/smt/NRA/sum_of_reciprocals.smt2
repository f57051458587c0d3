; Two reciprocals that add up to their product.
(set-logic NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (exists ((k Real)) (and (= (+ (/ k x) (/ k y)) (/ (* k k) (* x y))) (> k x y 0.0))))
(check-sat)
