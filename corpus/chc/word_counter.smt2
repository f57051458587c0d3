; A counter of bits that skips the bad state.
(set-logic HORN)
(set-info :status sat)
(declare-fun state ((_ BitVec 4)) Bool)
(assert (forall ((b (_ BitVec 4))) (=> (= b #x1) (state b))))
(assert (forall ((b (_ BitVec 4))) (=> (state b) (state (bvadd b #x2)))))
(assert (forall ((b (_ BitVec 4))) (=> (and (state b) (= b #x8)) false)))
(check-sat)
