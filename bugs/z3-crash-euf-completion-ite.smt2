; title:        z3 crashes when the tactic euf-completion meets an if-then-else of formulas
; kind:         crash
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-euf-completion-ite.smt2
; says:         nothing, a segmentation fault
; should say:   goals
; affected:     4.12.2 4.16.0 5.4.0
; not affected: 4.13.0
; found:        question tactic, strategy generate, from a seed of corpus/smt/QF_UF, reduced from 1800 bytes by gainsay
; tracker:      none found; near: z3 issue 7806 (closed; the tactic crashes on bit-vectors; called too preliminary for reports)
;
; z3 dies of signal 11 while it applies the tactic. The condition of the if-then-else is a literal; with a constant in its place the
; tactic returns. 4.8.10 and earlier do not have the tactic.
(declare-const b Bool)
(assert (ite true b false))
(apply euf-completion)
