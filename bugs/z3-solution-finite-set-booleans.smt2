; title:        z3 says that two sets of Booleans with the same elements can differ
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-booleans.smt2
; says:         sat
; should say:   unsat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 20 assignments were evaluated
; tracker:      none found; near: z3 issue 7544 (open; the same for (Set Bool), which is an array)
;
; z3's model gives {true} to both. Sets of bit-vectors of one bit and of rounding modes in the same place are answered correctly, and so is the script if
; (set.in true a) and (set.in true b) are asserted.
(declare-const a (FiniteSet Bool))
(declare-const b (FiniteSet Bool))
(assert (not (= a b)))
(assert (= (set.in true a) (set.in true b)))
(assert (= (set.in false a) (set.in false b)))
(check-sat)
