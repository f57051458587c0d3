; A strictly growing function overtakes its argument.
(set-logic UFLIA)
(set-info :status unsat)
(declare-fun f (Int) Int)
(assert (forall ((x Int)) (! (> (f (+ x 1)) (f x)) :pattern ((f x)))))
(assert (>= (f 0) 0))
(assert (< (f 3) 3))
(check-sat)
