; No float is below every other, since one of them is no number.
(set-logic FP)
(set-info :status unsat)
(declare-const x Float32)
(assert (not (fp.isNaN x)))
(assert (forall ((y Float32)) (or (fp.leq x y) (fp.isInfinite y))))
(check-sat)
