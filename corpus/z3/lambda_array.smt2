; An array given by a lambda, and one that differs at one place.
(set-logic ALL)
(set-info :status sat)
(declare-const a (Array (_ BitVec 2) (_ BitVec 2)))
(declare-const i (_ BitVec 2))
(assert (= a (store (lambda ((x (_ BitVec 2))) (bvmul x x)) i #b11)))
(assert (= (select a #b11) #b11))
(check-sat)
