; Two cells that are apart have two addresses.
(set-logic QF_ALL)
(set-info :status unsat)
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(assert (sep (pto x 1) (pto y 2)))
(assert (= x y))
(check-sat)
