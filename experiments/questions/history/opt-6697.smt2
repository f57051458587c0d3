; question: objective
; affected: z3@4.12.1
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/6697 (the second of two objectives is not optimal)
(declare-const p Bool)
(declare-const q Bool)
(assert (xor p q))
(maximize (+ (ite p 3 0) (ite q 3 0)))
(maximize (ite q 1 0))
(check-sat)
(get-objectives)
