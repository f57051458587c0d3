; title:        z3 says that a filter can keep an element that its predicate rejects
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-filter.smt2
; says:         sat
; should say:   unsat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 4 assignments were evaluated
; tracker:      none found
;
; The result of the filter is {u}, so u satisfies f. If (set.in u (set.filter f a)) is asserted, z3 answers unsat; it does not conclude it from the
; equation. Unions, intersections and differences in the place of the filter are answered correctly.
(declare-datatypes ((U 0)) (((u))))
(declare-const a (FiniteSet U))
(declare-const f (Array U Bool))
(assert (not (select f u)))
(assert (= (set.filter f a) (set.singleton u)))
(check-sat)
