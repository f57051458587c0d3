; question: objective
; affected: z3@4.12.2
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/7569 (box: maximum minus infinity)
(set-option :opt.priority box)
(declare-const x Real)
(declare-const y Real)
(assert (> 0 x))
(maximize x)
(maximize y)
(minimize (- x))
(check-sat)
(get-objectives)
