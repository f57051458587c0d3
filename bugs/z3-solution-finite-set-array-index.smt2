; title:        z3 says that a finite set is neither empty nor full, as the index of an array
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-array-index.smt2
; says:         sat
; should say:   unsat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 6 assignments were evaluated
; tracker:      none found
;
; U has one element, so that x is the empty set or {u}; f is false for both. If the inequalities between x and these sets are asserted, z3 answers
; unsat; it does not see those that follow from the array. With a function or a datatype in the place of the array it answers sat, too, and if two arrays
; differ, it may print one array for both.
(declare-datatypes ((U 0)) (((u))))
(declare-const x (FiniteSet U))
(declare-const f (Array (FiniteSet U) Bool))
(assert (select f x))
(assert (not (select f (as set.empty (FiniteSet U)))))
(assert (not (select f (set.singleton u))))
(check-sat)
