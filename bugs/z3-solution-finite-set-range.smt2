; title:        z3 says that a range of integers differs from the union of its elements, in the second check of a script
; kind:         solution
; question:     sequence
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-range.smt2
; says:         sat sat
; should say:   sat unsat
; affected:     5.0.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        comparison of the evaluator with z3, operator by operator, in one process; reduced from 480 checks
; tracker:      none found
;
; The second assertion has no constants and is false. z3 answers unsat if the script has no first check, and for ranges of six elements.
(declare-const a (FiniteSet Int))
(assert (set.in 0 a))
(push 1)
(check-sat)
(assert (not (= (set.range (- 3) 3) (set.union (set.singleton (- 3)) (set.singleton (- 2)) (set.singleton (- 1)) (set.singleton 0) (set.singleton 1) (set.singleton 2) (set.singleton 3)))))
(check-sat)
