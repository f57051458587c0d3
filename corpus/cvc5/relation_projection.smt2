; The second column of a relation.
(set-logic HO_ALL)
(set-info :status sat)
(declare-const r (Relation Bool Int))
(assert (= ((_ rel.project 1) r) (set.insert (tuple 3) (set.singleton (tuple 4)))))
(assert (set.member (tuple true 3) r))
(check-sat)
