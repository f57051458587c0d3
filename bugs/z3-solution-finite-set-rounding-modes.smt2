; title:        z3 says that there is a finite set of six rounding modes
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-rounding-modes.smt2
; says:         sat
; should say:   unsat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 32 assignments were evaluated
; tracker:      none found; near: z3 issue 10232 (closed; size of a union of singletons)
;
; There are five rounding modes. z3 accepts 1000 as well, and 16 for floats of four bits, of which 15 differ; for Booleans, bit-vectors,
; enumerations and prime fields it knows the largest size.
(declare-const a (FiniteSet RoundingMode))
(assert (= (set.size a) 6))
(check-sat)
