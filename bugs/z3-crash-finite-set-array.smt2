; title:        z3 crashes on an array that differs from the constant array of an empty finite set
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-finite-set-array.smt2
; says:         nothing, a segmentation fault
; should say:   sat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        scripts generated over finite sets of small scope, reduced from 1,333 bytes by gainsay, then by hand
; tracker:      none found
;
; A model is a the empty set, and b the array that holds {1} everywhere. z3 dies of signal 11. Without the assertion about the size of a it answers sat.
(declare-const a (FiniteSet Int))
(declare-const b (Array Int (FiniteSet Int)))
(assert (= (set.size a) 0))
(assert (not (= ((as const (Array Int (FiniteSet Int))) a) b)))
(check-sat)
