; title:        cvc5 returns an invalid model after it was asked for a timeout core
; kind:         model
; question:     core
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-model-timeout-core.smt2
; says:         sat, ((p false))
; should say:   sat, ((p true)), or an error that there is no model
; affected:     1.4.2
; not affected: 1.2.0
; found:        question core, strategy generate, reduced by hand from 151 bytes
; tracker:      none found; near: cvc5 pull request 12373 (merged; it allows models after get-timeout-core)
;
; (get-timeout-core) says sat, and the only assertion is p. (get-value (p)) is false then, and (get-model) says the same. After
; (check-sat) in the place of (get-timeout-core), p is true. The documentation calls the command experimental; cvc5 accepts (get-model)
; after it without an error.
(set-option :produce-models true)
(set-option :produce-unsat-cores true)
(set-logic QF_UF)
(declare-const p Bool)
(assert p)
(get-timeout-core)
(get-value (p))
