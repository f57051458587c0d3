; A function seen as an array.
(set-logic ALL)
(set-info :status unsat)
(declare-fun f (Int) Int)
(declare-const a (Array Int Int))
(declare-const i Int)
(assert (= a (_ as-array f)))
(assert (< (f i) (select a i)))
(check-sat)
