; title:        z3 crashes on a quantifier over a Boolean with fp.xform.instantiate_quantifiers
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     option
; solver:       z3@5.4.0 fp.engine=spacer fp.xform.instantiate_quantifiers=true
; beside:       no other solver
; command:      z3 fp.engine=spacer fp.xform.instantiate_quantifiers=true z3-crash-horn-instantiate.smt2
; says:         nothing, a segmentation fault
; should say:   sat
; affected:     4.8.5 4.8.6 4.8.7 4.8.8 4.8.9 4.8.10 4.8.12 4.8.13 4.8.14 4.8.15 4.8.16 4.9.0 4.10.1 4.11.1 4.11.2 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.16.0 5.4.0
; not affected: 4.12.0 4.12.1 4.12.2 4.13.0
; found:        strategy horn, 91 mutations of a system of ADT-Nonlin of CHC-COMP with options drawn, reduced from 12339 bytes
; tracker:      none found; near: z3 issue 6158 (closed; horn, unused variables, without the option; repaired)
;
; z3 dies of signal 11 and prints nothing. Without the option it answers sat, which is correct: both clauses are valid. Releases
; from 4.12.0 to 4.13.0 answer unsat instead.
(set-logic HORN)
(assert (and (=> (forall ((a Bool)) false) false) (=> false false)))
(check-sat)
