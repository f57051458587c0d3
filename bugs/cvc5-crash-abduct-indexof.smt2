; title:        cvc5 crashes while it searches for an abduct over strings and a product of lengths
; kind:         crash
; question:     abduct
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-abduct-indexof.smt2
; says:         nothing, segmentation fault
; should say:   an abduct or fail
; affected:     1.4.2
; not affected: 1.2.0 did not answer within the time limit; no other release was tried
; found:        question abduct, in a mutant of a seed over strings that `gainsay quickstart` made; reduced by gainsay
; tracker:      none found; near: cvc5 issue 12027 (closed; str.indexof from a product, but another check fails)
;
; It needs str.indexof from a position that is a product of lengths. ArithEntail::check and findApprox call each other without an end. check-sat with ext-rew-prep,
; get-interpolant and check-synth crash in the same way.
(set-option :produce-abducts true)
(declare-const a String)
(declare-const b String)
(assert (= (str.indexof a a (* (str.len a) (str.len a))) 0))
(get-abduct missing (str.prefixof a b))
