; question: objective
; affected: z3@4.8.10
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/4465 (maximum 1/2 of an unbounded objective)
(declare-const p Real)
(declare-const q Real)
(assert (<= p (/ 11 6)))
(assert (<= q (/ 2 3)))
(assert (<= (+ (* (/ 1 3) p) (* (/ 2 3) q)) (/ 8 9)))
(assert (<= (+ (* (/ 2 5) p) (* (/ 3 5) q)) (/ 37697483821051.0 35184372088832.0)))
(maximize (- q))
(check-sat)
(get-objectives)
