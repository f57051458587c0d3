; title:        cvc5 crashes while it searches for an interpolant and the conjecture applies a function of its own to a shared term
; kind:         crash
; question:     interpolant
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-interpolant-unshared-function.smt2
; says:         nothing, fatal failure in SygusEnumerator::getMasterEnumForType
; should say:   an interpolant
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question interpolant, strategy generative on a seed of uninterpreted functions; reduced by gainsay, and by hand
; tracker:      none found
;
; label occurs in the conjecture alone. This script needs interpolants-mode assumptions, without which cvc5 finds an interpolant; others show the
; crash with the mode conjecture.
(set-option :produce-interpolants true)
(set-option :interpolants-mode assumptions)
(declare-sort a 0)
(declare-fun n (Bool) a)
(declare-fun label (a) Int)
(declare-const p Bool)
(assert (= (n p) (n true)))
(get-interpolant m (or p (= (label (n p)) 0) (= (n p) (n true))))
