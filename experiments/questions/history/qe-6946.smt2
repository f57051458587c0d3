; question: tactic (quantifier elimination)
; affected: z3@4.16.0
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/6946 (qe makes a satisfiable script unsat)
(declare-const a Real)
(assert (forall ((v Real)) (= (= a v) (= v 0.0))))
(check-sat-using qe)
