; question: sequence
; affected: z3@4.8.10
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/4923 (sat in a scope, by an invalid model)
(declare-const n Int)
(push 1)
(declare-const m (Array Bool Bool))
(assert (select m (= (abs n) (abs (abs n)))))
(assert (not (select m true)))
(check-sat)
