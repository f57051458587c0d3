; A map joins the counts of elements that become equal.
(set-logic HO_ALL)
(set-info :status sat)
(declare-const n Int)
(assert (= (bag.count 1 (bag.map (lambda ((x Int)) (* x x)) (bag.union_disjoint (bag 1 n) (bag (- 1) 2)))) 5))
(check-sat)
