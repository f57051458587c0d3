; Beyond some bound squares exceed a line.
(set-logic NIA)
(set-info :status sat)
(declare-const k Int)
(assert (and (< 3 k) (< k 6)))
(assert (exists ((x Int)) (and (> (* x x) (* k x)) (< x 8) (> x 0))))
(check-sat)
