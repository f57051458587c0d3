; An edge relation that is total, and a node without edges.
(set-logic UF)
(set-info :status unsat)
(declare-sort N 0)
(declare-fun edge (N N) Bool)
(assert (forall ((x N)) (exists ((y N)) (edge x y))))
(assert (exists ((x N)) (forall ((y N)) (not (edge x y)))))
(check-sat)
