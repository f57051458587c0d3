; Two sets of three elements that share one have a union of five.
(set-logic ALL)
(set-info :status unsat)
(declare-const s (Set Int))
(declare-const t (Set Int))
(assert (= (set.card s) (set.card t) 3))
(assert (= (set.inter s t) (set.singleton 4)))
(assert (distinct (set.card (set.union s t)) 5))
(check-sat)
