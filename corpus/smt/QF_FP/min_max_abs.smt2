; Minimum and maximum between them hold the same two numbers.
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.lt x y))
(assert (or (not (= (fp.min x y) x)) (not (= (fp.max y x) y)) (fp.isNegative (fp.abs x)) (fp.eq (fp.neg y) (fp.neg x))))
(check-sat)
