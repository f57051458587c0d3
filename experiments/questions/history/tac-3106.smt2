; question: tactic
; affected: z3@4.8.7
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/3106 (nlsat makes a satisfiable script unsat)
(declare-const a Real)
(declare-const b Real)
(assert (not (<= (* (- a b) (- a b) (* a a b b)) 0.0)))
(check-sat-using nlsat)
