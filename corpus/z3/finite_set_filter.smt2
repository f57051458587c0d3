; The even numbers of a range.
(set-logic ALL)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(assert (set.in x (set.filter (lambda ((z Int)) (= (mod z 2) 0)) (set.range 1 4))))
(assert (not (set.in y (set.range x 3))))
(assert (< x y 5))
(check-sat)
