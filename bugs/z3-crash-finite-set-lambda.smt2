; title:        z3 crashes on an array that differs from a lambda whose body is an empty finite set
; kind:         crash
; evidence:     proved
; solver:       z3@5.4.0
; beside:       nobody
; command:      z3 z3-crash-finite-set-lambda.smt2
; says:         nothing, a segmentation fault
; should say:   sat
; affected:     5.0.0 5.4.0
; not affected: none; 4.16.0 does not have the sort FiniteSet
; found:        generate over finite sets in small scope, reduced from 1,333 bytes by gainsay, then by hand
;
; A model is a the empty set, and b the array that holds {1} everywhere. z3 dies of signal 11. It answers sat if the size of a is a
; constant in place of 0.
(declare-const a (FiniteSet Int))
(declare-const b (Array Int (FiniteSet Int)))
(assert (= (set.size a) 0))
(assert (not (= b (lambda ((c Int)) a))))
(check-sat)
