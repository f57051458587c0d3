; A slope for which every line of a family meets a strip.
(set-logic LRA)
(set-info :status sat)
(declare-const m Real)
(assert (forall ((b Real)) (=> (<= 0.0 b 1.0) (exists ((x Real)) (and (<= (- 1.0) x 1.0) (= (+ (* 2.0 x) b) (- m b)))))))
(assert (> m 0.25))
(check-sat)
