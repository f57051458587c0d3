; question: objective
; affected: z3@5.0.0
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/10356 (a value below the maximum, which is attained)
(declare-const v Real)
(declare-const j Real)
(declare-const x Real)
(assert (< j 0.0))
(assert (> (+ v v) x))
(assert (or (= 0.0 x) (= 0.0 v)))
(maximize (+ 1.0 x))
(check-sat)
(get-objectives)
