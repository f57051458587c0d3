; Five and three make every number from eight on.
(set-logic LIA)
(set-info :status unsat)
(declare-const n Int)
(assert (>= n 8))
(assert (forall ((a Int) (b Int)) (=> (and (>= a 0) (>= b 0)) (distinct (+ (* 3 a) (* 5 b)) n))))
(assert (<= n 20))
(check-sat)
