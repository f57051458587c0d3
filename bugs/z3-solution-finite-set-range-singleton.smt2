; title:        z3 says that a range up to 1 can be the singleton of 0
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-range-singleton.smt2
; says:         sat
; should say:   unsat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 3 assignments were evaluated
; tracker:      none found
;
; The range has 1 as an element unless it is empty. z3 answers unsat if x is at most 1. It also answers sat if x is not bounded, and to two ranges
; that are equal and begin with different numbers. z3's release notes call its support for set.range partial.
(declare-const x Int)
(assert (<= 0 x 2))
(assert (= (set.range x 1) (set.singleton 0)))
(check-sat)
