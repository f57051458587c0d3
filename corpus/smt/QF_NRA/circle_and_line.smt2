; A line that cuts a circle twice, off the axes.
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (= (+ (* x x) (* y y)) 2.0))
(assert (> (* x y) 0.5))
(assert (= y (+ (* 3.0 x) 1.0)))
(check-sat)
