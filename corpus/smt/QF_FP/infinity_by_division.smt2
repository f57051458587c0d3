; Dividing by zeros of both signs.
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(assert (fp.isInfinite (fp.div RNE x (_ -zero 8 24))))
(assert (fp.isNegative (fp.div RNE x (_ +zero 8 24))))
(assert (fp.gt (fp.div RNE x (_ -zero 8 24)) (fp.sub RTN x (fp #b0 #x80 #b00000000000000000000000))))
(check-sat)
