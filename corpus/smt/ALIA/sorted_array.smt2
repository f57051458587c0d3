; A sorted array whose first cell exceeds its last.
(set-logic ALIA)
(set-info :status unsat)
(declare-const a (Array Int Int))
(declare-const n Int)
(assert (forall ((i Int) (j Int)) (=> (<= 0 i j n) (<= (select a i) (select a j)))))
(assert (> (select a 0) (select a n)))
(assert (> n 2))
(check-sat)
