; A shift that doubles every word that it does not overflow.
(set-logic BV)
(set-info :status sat)
(declare-const s (_ BitVec 4))
(assert (forall ((x (_ BitVec 4))) (=> (bvult x #x8) (= (bvshl x s) (bvadd x x)))))
(assert (not (= (bvlshr #x8 s) #x8)))
(check-sat)
