; title:        cvc5 ignores all assertions when it is asked for a timeout core under assumptions
; kind:         solution
; question:     core
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-solution-timeout-core-assuming.smt2
; says:         sat
; should say:   unsat
; affected:     1.2.0 1.4.2
; not affected: none that was tested
; found:        question core, by the first script that was written to test it, reduced by hand
; tracker:      none found; near: cvc5 pull request 10076 (merged; it adds the command)
;
; The documentation of the command says that sat means that the assumptions and the current assertions are satisfiable together. It
; also calls the command experimental. Any other assertion is ignored as well: with (> x 3) asserted and (< x 2) assumed, cvc5 says
; sat, too. To (get-timeout-core) it says unsat.
(set-option :produce-unsat-cores true)
(assert false)
(get-timeout-core-assuming (true))
