; title:        z3 rounds a small subnormal number to an integer other than zero
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-fp-round-subnormal.smt2
; says:         sat
; should say:   unsat
; affected:     4.8.5 4.8.7 4.8.8 4.8.10 4.8.11 4.12.1 4.12.2 4.12.5 4.12.6 4.13.0 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.15.8 4.16.0 5.0.0 5.1.0 5.3.0 5.3.1 5.3.2 5.3.3 5.4.0
; not affected: none that was tested
; found:        question models, strategy operator, from a seed near z3 issue 4190, reduced by gainsay from 374 bytes and made smaller by hand
; tracker:      none found; near: z3 issues 4190, 3197 (closed in 2020; the same operator with two exponent bits)
;
; Positive numbers below #b0.1000 are less than a half, and the nearest integer is zero. Exhaustion tries all values. z3 issue 4190, closed
; in 2020, is about the same operator and two exponent bits; later issues of its maintainers say that two bits are supported.
(set-logic QF_FP)
(declare-const x (_ FloatingPoint 2 5))
(assert (fp.isSubnormal x))
(assert (fp.isPositive x))
(assert (fp.lt x (fp #b0 #b00 #x8)))
(assert (not (fp.isZero (fp.roundToIntegral RNE x))))
(check-sat)
