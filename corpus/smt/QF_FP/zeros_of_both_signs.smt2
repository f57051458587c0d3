; Equal zeros that a quotient tells apart.
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.isZero x))
(assert (fp.isZero y))
(assert (not (fp.eq x y)))
(check-sat)
