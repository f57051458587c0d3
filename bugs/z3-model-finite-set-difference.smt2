; title:        z3 leaves the elements out of its model of an equation with a difference of finite sets
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-model-finite-set-difference.smt2
; says:         sat, and that s is empty
; should say:   sat, with a set that holds 0
; affected:     5.0.0 5.1.0 5.3.0 5.4.0
; not affected: none that was tried; 4.16.0 does not have the sort FiniteSet
; found:        a campaign of z3 alone in small scope on corpus/z3/finite_set_difference.smt2 (operator), reduced by gainsay
; tracker:      none found; near: z3 issue 10232 (closed; a wrong model because of a size)
;
; The difference of the empty set and {1} is empty, and not {0}. The answer is right: {0} is a model. Without the difference, as (= (set.singleton 0) s), z3's model is right, too.
(set-option :produce-models true)
(declare-const s (FiniteSet Int))
(assert (= (set.singleton 0) (set.difference s (set.singleton 1))))
(check-sat)
(get-model)
