; A function that steps, and a point that it cannot skip.
(set-logic QF_UFLIA)
(set-info :status unsat)
(declare-fun f (Int) Int)
(declare-const n Int)
(assert (= (f n) (+ n 1)))
(assert (= (f (+ n 1)) (f (f n))))
(assert (< (f (f n)) (f (- (f n) 0))))
(check-sat)
