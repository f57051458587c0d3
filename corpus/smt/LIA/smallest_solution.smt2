; The smallest number with a property, and no smaller one.
(set-logic LIA)
(set-info :status sat)
(declare-const m Int)
(assert (and (> m 0) (= (mod (* 5 m) 7) 1)))
(assert (forall ((k Int)) (=> (and (< 0 k) (< k m)) (distinct (mod (* 5 k) 7) 1))))
(check-sat)
