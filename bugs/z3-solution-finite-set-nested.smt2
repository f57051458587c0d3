; title:        z3 says that one of two equal finite sets is an element of a set and the other is not
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-nested.smt2
; says:         sat
; should say:   unsat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 18 assignments were evaluated
; tracker:      none found
;
; U has one element, so that x and y are equal if both contain u or both do not. Arrays in the place of x and y, and functions in the place of a,
; are answered correctly.
(declare-datatypes ((U 0)) (((u))))
(declare-const a (FiniteSet (FiniteSet U)))
(declare-const x (FiniteSet U))
(declare-const y (FiniteSet U))
(assert (set.in x a))
(assert (not (set.in y a)))
(assert (= (set.in u x) (set.in u y)))
(check-sat)
