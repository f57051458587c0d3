; A linear order compares any two values.
(set-logic ALL)
(set-info :status unsat)
(declare-sort U 0)
(declare-const a U)
(declare-const b U)
(assert (not ((_ linear-order 1) a b)))
(assert (not ((_ linear-order 1) b a)))
(check-sat)
