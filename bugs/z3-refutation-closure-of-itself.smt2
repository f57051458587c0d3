; title:        z3 takes a transitive closure for reflexive and for not reflexive in one script
; kind:         refutation
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-refutation-closure-of-itself.smt2
; says:         unsat
; should say:   sat
; affected:     4.12.2 4.12.3 4.12.4 4.12.6 4.13.3 4.15.8 5.4.0
; not affected: 4.8.5 4.8.7 4.8.10 4.12.1
; found:        gainsay generate --theory order --scope small, 11 of 1,150 scripts; reduced by gainsay to (not ((_ transitive-closure f) true true)), then written by hand so that the reading does not matter
; tracker:      z3 issue 10218 (closed): one half of it; z3's guide now calls the closure reflexive-transitive
;
; f has no step that leaves the value true. If a transitive closure is reflexive, as z3's guide says since July 2026, it holds for (true, true), and q must be false; if it is not,
; it does not hold, and q must be true. z3 answers unsat: it refutes the closure for want of a step, and its negation by reflexivity. Exhaustion decides what holds in both
; readings.
(declare-fun f (Bool Bool) Bool)
(declare-const q Bool)
(assert (not (or (f true true) (f true false))))
(assert (or q ((_ transitive-closure f) true true)))
(assert (not (and q ((_ transitive-closure f) true true))))
(check-sat)
