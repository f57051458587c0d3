; A set of sets that holds the empty set and a pair.
(set-logic ALL)
(set-info :status sat)
(declare-const f (FiniteSet (FiniteSet Bool)))
(declare-const b Bool)
(assert (set.in (as set.empty (FiniteSet Bool)) f))
(assert (set.in (set.union (set.singleton b) (set.singleton (not b))) f))
(assert (not (set.in (set.singleton b) f)))
(check-sat)
