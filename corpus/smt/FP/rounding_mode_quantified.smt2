; A sum that no rounding mode changes.
(set-logic FP)
(set-info :status sat)
(declare-const x Float32)
(assert (forall ((m RoundingMode)) (= (fp.add m x x) (fp.mul m x (fp #b0 #b10000000 #b00000000000000000000000)))))
(assert (fp.isNormal x))
(check-sat)
