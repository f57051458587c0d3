; question: core
; affected: z3@4.13.0
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/8045 (unsat assumptions are empty)
(set-option :produce-unsat-assumptions true)
(check-sat-assuming (false))
(get-unsat-assumptions)
