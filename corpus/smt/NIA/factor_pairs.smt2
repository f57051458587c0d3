; A number whose factors come in a given pair, and a bound for both.
(set-logic NIA)
(set-info :status sat)
(declare-const n Int)
(assert (exists ((a Int) (b Int)) (and (< 1 a b) (= (* a b) n) (= (- b a) 2))))
(assert (= n 35))
(assert (= (mod n (div n 5)) 0))
(check-sat)
