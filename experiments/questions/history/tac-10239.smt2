; question: sequence (set-simplifier)
; affected: z3@4.16.0
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/10239 (elim-term-ite loses a constraint)
(declare-const x Real)
(declare-const b Bool)
(set-simplifier elim-term-ite)
(assert (and (> x 10.0) (< x (ite b 1.0 2.0))))
(check-sat)
