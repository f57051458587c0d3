; Two sets of three elements that share one have a union of five.
(set-logic ALL)
(set-info :status unsat)
(declare-const s (FiniteSet Int))
(declare-const t (FiniteSet Int))
(assert (= (set.size s) (set.size t) 3))
(assert (= (set.intersect s t) (set.singleton 4)))
(assert (distinct (set.size (set.union s t)) 5))
(check-sat)
