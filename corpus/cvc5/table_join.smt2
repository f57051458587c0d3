; A table joined with itself by its only column: the counts of equal rows are multiplied.
(set-logic HO_ALL)
(set-info :status sat)
(declare-const t (Bag (Tuple Bool)))
(assert (= (bag.count (tuple true true) ((_ table.join 0 0) t t)) 4))
(assert (= (bag.card ((_ table.project 0) t)) 3))
(check-sat)
