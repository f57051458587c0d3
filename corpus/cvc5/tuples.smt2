; A tuple with one component changed.
(set-logic ALL)
(set-info :status unsat)
(declare-const t (Tuple Int Bool Int))
(declare-const u (Tuple Int Bool Int))
(assert (= u ((_ tuple.update 2) t (+ ((_ tuple.select 2) t) 1))))
(assert (= ((_ tuple.project 2 1) u) ((_ tuple.project 0 1) t)))
(assert (= ((_ tuple.select 2) t) ((_ tuple.select 0) u)))
(check-sat)
