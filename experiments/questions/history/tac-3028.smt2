; question: tactic
; affected: z3@4.8.7
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/3028 (qfidl makes a satisfiable script unsat)
(declare-const n Int)
(assert (> n (bv2nat ((_ int2bv 1) n))))
(check-sat-using (then qfidl smt))
