; A residue that no multiple of six has.
(set-logic LIA)
(set-info :status sat)
(declare-const r Int)
(assert (forall ((x Int)) (=> (<= 0 x 5) (distinct (mod (* 3 x) 6) r))))
(assert (and (< 0 r) (< r 6)))
(check-sat)
