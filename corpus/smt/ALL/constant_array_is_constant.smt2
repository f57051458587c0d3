; One array cannot be constant in two ways.
(set-logic ALL)
(set-info :status unsat)
(declare-const a (Array Int Bool))
(declare-const i Int)
(assert (= (store a i true) ((as const (Array Int Bool)) false)))
(check-sat)
