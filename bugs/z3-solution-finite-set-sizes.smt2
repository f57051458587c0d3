; title:        z3 forgets the sizes of two finite sets that must differ
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-finite-set-sizes.smt2
; says:         sat
; should say:   unsat
; affected:     5.4.0
; not affected: 5.0.0 did not answer within ten seconds; 4.16.0 does not have the sort FiniteSet
; found:        by hand, while models of finite sets were read; proved by exhaustion: all 8 assignments were evaluated
; tracker:      none found; near: z3 issue 10232 (closed; size of a union of singletons)
;
; There is one set of two Booleans. z3's model makes b the empty set, whose size is not 2. Over integers, where the script is satisfiable,
; it prints models of the same kind: empty sets and singletons in place of sets of three elements.
(declare-const a (FiniteSet Bool))
(declare-const b (FiniteSet Bool))
(assert (= (set.size a) 2))
(assert (= (set.size b) 2))
(assert (not (= a b)))
(check-sat)
