; question: tactic (quantifier elimination)
; affected: z3@4.8.7
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/2975 (qe2 makes a satisfiable script unsat)
(declare-sort U 0)
(assert (forall ((x U) (y U)) (= x y)))
(check-sat-using (then qe2 smt))
