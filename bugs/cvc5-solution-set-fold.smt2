; title:        cvc5 says that a fold over a set of one element gives what it does not give
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-solution-set-fold.smt2
; says:         sat
; should say:   unsat
; affected:     1.2.0 1.4.2
; not affected: none that was tried
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 2 assignments were evaluated
; tracker:      none found; near: cvc5 pull request 12526 (merged; set.fold of a union was rewritten wrongly)
;
; b is {u}, and one call of the function turns true into false. cvc5 prints {u} for b. With (= b (set.singleton u)) asserted it answers unsat. It also says
; that a fold can count two elements in a subset of {1}, and prints 1 for the term that it says is 3 in a set of Booleans. Sets are part of the documented theories
; of cvc5; set.fold needs a higher-order logic and no option.
(set-logic HO_ALL)
(declare-datatypes ((U 0)) (((u))))
(declare-const b (Set U))
(assert (set.member u b))
(assert (set.fold (lambda ((x U) (y Bool)) (not y)) true b))
(check-sat)
