; question: objective
; affected: z3@4.16.0
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/7569 (box: maximum infinity of a negative objective, after the first fix)
(set-option :opt.priority box)
(declare-const x Real)
(declare-const y Real)
(assert (> 0 x))
(maximize x)
(maximize y)
(minimize (- x))
(check-sat)
(get-objectives)
