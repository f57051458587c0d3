; Attributes of a quantifier stand at its body, whatever is shared in it.
; logic: UFLIA
(declare-fun f (Int) Int)
(assert (forall ((z Int)) (! (= (f (f z)) (+ (f (f z)) 0)) :qid k :no-pattern (f z) :pattern ((f (f z))))))
(assert (! (or (= (f 1) (f 2)) (= (f 1) (f 2))) :named n))
