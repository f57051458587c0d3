; question: objective
; affected: z3@5.0.0
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/10356 (the maximum 1 is said to be 1/2)
(declare-const p Real)
(declare-const q Real)
(declare-const r Real)
(assert (< q 0.0))
(assert (> (+ p p) r))
(assert (or (= 0.0 r) (= 0.0 p)))
(maximize (+ 1.0 r))
(check-sat)
(get-objectives)
