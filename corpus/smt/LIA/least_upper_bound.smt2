; A bound that is both upper and below a member.
(set-logic LIA)
(set-info :status unsat)
(declare-const b Int)
(assert (forall ((x Int)) (=> (< (* 3 x) 20) (<= x b))))
(assert (or (< b 6) (exists ((y Int)) (and (> y b) (< (* 3 y) 18)))))
(check-sat)
