; A product of two tables has as many rows as both multiplied.
(set-logic HO_ALL)
(set-info :status sat)
(declare-const t (Table Int))
(declare-const n Int)
(assert (= t (bag (tuple 7) n)))
(assert (= (bag.count (tuple 7 true) (table.product t (bag (tuple true) 2))) 6))
(check-sat)
