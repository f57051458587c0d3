; A function that undoes an odd multiplication.
(set-logic QF_UFBV)
(set-info :status sat)
(declare-fun inverse ((_ BitVec 6)) (_ BitVec 6))
(declare-const x (_ BitVec 6))
(assert (= (inverse (bvmul x #b000101)) x))
(assert (= (inverse #b001111) (bvadd x #b000001)))
(assert (distinct (inverse (inverse x)) x (bvneg x)))
(check-sat)
