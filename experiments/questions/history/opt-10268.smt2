; question: objective
; affected: z3@4.8.10
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/10268 (a value below the supremum, which is not attained)
(declare-const a Real)
(declare-const b Real)
(assert (and (>= (+ (- a) (* 4.0 b)) (- 1000000.0)) (> 0.0 b)))
(maximize a)
(check-sat)
(get-objectives)
