; title:        cvc5 crashes when it is asked for an interpolant between arrays over a declared sort
; kind:         crash
; question:     interpolant
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-interpolant-arrays.smt2
; says:         sat, segmentation fault
; should say:   sat, and an interpolant
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question interpolant, strategy generate; reduced by gainsay, the repeated disjunct by hand
; tracker:      none found; near: cvc5-projects issue 255 (closed; other failures of interpolation, failed checks of older versions)
;
; The conjecture is the assertion itself, so that it is an interpolant. Without the check before it, gainsay's command line around cvc5's library gets this
; interpolant, and a Python program around the same release crashes. Between arrays from Int to Int cvc5 finds one.
(set-option :produce-interpolants true)
(declare-sort U 0)
(declare-const x (Array U U))
(declare-const y (Array U U))
(assert (distinct x y))
(check-sat)
(get-interpolant m (distinct x y))
