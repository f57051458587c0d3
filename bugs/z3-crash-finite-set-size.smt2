; title:        z3 crashes on a disjunction with the size of a finite set
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-finite-set-size.smt2
; says:         nothing, a segmentation fault
; should say:   sat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        experiments/exhaustion/hunt.py, script 37 of sets-enum, reduced by gainsay, then by hand; exhaustion of the script before reduction says sat
; tracker:      none found; near: z3 issue 10232 (closed; a wrong size, no crash)
;
; A model is a the empty set, and so is any other with b true. z3 dies of signal 11. Without the disjunction it answers sat. Five of 150 random scripts over finite
; sets crash; all of them reduce to a size under a disjunction or an if-then-else. The script has no arrays, in contrast to z3-crash-finite-set-array.
(declare-const a (FiniteSet Int))
(declare-const b Bool)
(assert (or b (= (set.size a) 0)))
(check-sat)
