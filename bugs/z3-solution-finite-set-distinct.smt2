; title:        z3 says that three finite sets of Booleans with a common element can differ
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-distinct.smt2
; says:         sat
; should say:   unsat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 20 assignments were evaluated
; tracker:      none found
;
; Only two sets of Booleans have true as an element. z3's model gives the same set to two of the constants. With three inequalities in place of
; distinct, z3 answers unsat. z3's release notes list finite sets and do not call them experimental.
(declare-const a (FiniteSet Bool))
(declare-const b (FiniteSet Bool))
(declare-const c (FiniteSet Bool))
(assert (set.in true a))
(assert (set.in true b))
(assert (set.in true c))
(assert (distinct a b c))
(check-sat)
