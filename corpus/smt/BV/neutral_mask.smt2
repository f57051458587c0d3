; A mask that leaves every small word alone.
(set-logic BV)
(set-info :status sat)
(declare-const mask (_ BitVec 8))
(assert (forall ((x (_ BitVec 8))) (=> (bvult x #x20) (= (bvand x mask) x))))
(assert (exists ((y (_ BitVec 8))) (bvugt (bvand y #xf0) (bvxor y mask))))
(check-sat)
