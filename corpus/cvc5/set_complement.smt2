; A set and its complement have nothing in common.
(set-option :sets-exp true)
(set-logic ALL)
(set-info :status unsat)
(declare-const s (Set Int))
(declare-const x Int)
(assert (set.member x (set.inter s (set.complement s))))
(check-sat)
