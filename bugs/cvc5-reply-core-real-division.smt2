; title:        cvc5 returns an empty unsat core if the assertion divides an integer numeral as a real number
; kind:         reply
; question:     core
; evidence:     proved
; standing:     standard
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-reply-core-real-division.smt2
; says:         unsat, ( )
; should say:   unsat, ( a )
; affected:     1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: 1.2.0 1.2.1 1.3.0 1.3.1
; found:        question core, strategy subterm, from a seed near a known bug of nonlinear arithmetic, reduced by gainsay from 1,442 bytes
; tracker:      none found
;
; The empty core says that nothing at all is contradictory. With (/ 0.0 0.0) or (/ (to_real 0) 0.0) in place of (/ 0 0.0), and without
; the division, the core is (a). Cores lack every assertion that mixes the sorts Int and Real: with a constant r of sort Real, the core of (< r 0) and (> r 0) is empty as
; well, and get-difficulty and get-timeout-core leave the same assertions out. All commands and options are standard.
(set-option :produce-unsat-cores true)
(set-logic ALL)
(assert (! (and (= 0.0 (/ 0 0.0)) false) :named a))
(check-sat)
(get-unsat-core)
