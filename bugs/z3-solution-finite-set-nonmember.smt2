; title:        z3 says that a finite set without the only value of its sort has one element
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-nonmember.smt2
; says:         sat
; should say:   unsat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 2 assignments were evaluated
; tracker:      none found; near: z3 issue 10232 (closed; size of a union of singletons)
;
; z3 knows that the set has at most one element, but does not count the values that are not in it. It also says that two sets of Booleans of sizes 2 and 1
; can be disjoint.
(declare-datatypes ((U 0)) (((u))))
(declare-const x (FiniteSet U))
(assert (= (set.size x) 1))
(assert (not (set.in u x)))
(check-sat)
