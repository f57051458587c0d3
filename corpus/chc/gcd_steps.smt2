; Subtraction reaches an equal pair.
(set-logic HORN)
(set-info :status unsat)
(declare-fun pair (Int Int) Bool)
(assert (pair 12 18))
(assert (forall ((a Int) (b Int)) (=> (and (pair a b) (> a b)) (pair (- a b) b))))
(assert (forall ((a Int) (b Int)) (=> (and (pair a b) (< a b)) (pair a (- b a)))))
(assert (forall ((a Int) (b Int)) (=> (and (pair a b) (= a b) (= a 6)) false)))
(check-sat)
