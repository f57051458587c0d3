; Absolute values as indices and as cells.
(set-logic QF_ALIA)
(set-info :status sat)
(declare-const a (Array Int Int))
(declare-const i Int)
(assert (= (abs (select a i)) (select a (abs i))))
(assert (distinct (select a (abs (abs i))) (select a i)))
(assert (= (store a i (abs i)) (store (store a i 0) i (- i))))
(check-sat)
