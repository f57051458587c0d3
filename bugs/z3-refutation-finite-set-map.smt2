; title:        z3 says unsat to an equation about a finite set without its image
; kind:         refutation
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-refutation-finite-set-map.smt2
; says:         unsat
; should say:   sat
; affected:     5.4.0
; not affected: 5.0.0 answers unknown; 4.16.0 does not have the sort FiniteSet
; found:        experiments/exhaustion/hunt.py, script 29 of sets-bv, reduced by gainsay, then by hand; proved by an assignment that satisfies it
; tracker:      none found; near: z3 issue 10233 (closed; set.map does not terminate, no wrong answer)
;
; With b the set of true, its image is the set of false, and all assertions hold with c false. With the size of b in place of the if-then-else, z3 answers
; unknown. z3's release notes call its support for set.map partial.
(declare-const a (FiniteSet Bool))
(declare-const b (FiniteSet Bool))
(declare-const c Bool)
(assert (not (= (ite c (set.size a) (set.size b)) 0)))
(assert (= (set.difference b (set.map (lambda ((y Bool)) (not y)) b)) (set.singleton true)))
(check-sat)
