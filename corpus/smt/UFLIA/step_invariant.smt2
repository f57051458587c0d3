; A counter that grows by two never meets an odd number.
(set-logic UFLIA)
(set-info :status unsat)
(declare-fun c (Int) Int)
(declare-fun half (Int) Int)
(assert (forall ((i Int)) (! (= (c i) (* 2 (half i))) :pattern ((c i)))))
(assert (exists ((i Int)) (= (mod (c (+ i 1)) 2) 1)))
(check-sat)
