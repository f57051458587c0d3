; Every number has a larger one, and no largest exists.
(set-logic LIA)
(set-info :status unsat)
(assert (exists ((m Int)) (forall ((n Int)) (<= n m))))
(check-sat)
