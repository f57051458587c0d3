; A join of two steps, and the way back.
(set-logic ALL)
(set-info :status unsat)
(declare-const r (Relation Int Int))
(declare-const x Int)
(assert (set.member (tuple 1 x) r))
(assert (set.member (tuple x 3) r))
(assert (not (set.member (tuple 3 1) (rel.transpose (rel.join r r)))))
(check-sat)
