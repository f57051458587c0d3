; question: core
; affected: z3@4.8.7
; right:    z3@5.4.0
; issue:    https://github.com/cvc5/cvc5/issues/4389 (a report about z3: a named assertion is lost by tactics if cores are produced)
(set-option :produce-unsat-cores true)
(assert (! (not (<= 0 0)) :named n))
(check-sat-using (then sat bv))
(get-unsat-core)
