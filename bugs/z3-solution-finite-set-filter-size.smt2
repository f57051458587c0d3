; title:        z3 says that the filter of a singleton can have two elements
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-filter-size.smt2
; says:         sat
; should say:   unsat
; affected:     5.4.0
; not affected: 5.0.0; 4.16.0 does not have the sort FiniteSet
; found:        experiments/exhaustion/hunt.py, script 42 of sets-enum, reduced by gainsay, then by hand; proved by exhaustion: all 2 assignments were evaluated
; tracker:      none found; near: z3 issue 10232 (closed; size of a union of singletons)
;
; The filter keeps the one element or none. z3 accepts any size. If the predicate does not mention p, as in (lambda ((y Bool)) y), it answers
; unsat, and 5.0.0 answers unsat to this script as well.
(declare-const p Bool)
(assert (= (set.size (set.filter (lambda ((y Bool)) p) (set.singleton true))) 2))
(check-sat)
