; title:        cvc5 eliminates a quantifier over a declared sort as if the sort had two elements
; kind:         reply
; question:     elimination
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-reply-qe-declared-sort.smt2
; says:         sat, and true for get-qe
; should say:   sat, and an equivalent formula for get-qe, or an error
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question elimination, strategy operator, from corpus/smt/UF/injective_function.smt2, twice; reduced by gainsay, and by hand
; tracker:      none found; near: cvc5 issue 8842 (closed; the error of the second script, but from finite-model-find)
;
; The formula is false if A has one element, and so it is not equivalent to true. get-qe-disjunct gives false for (forall ((x A) (y A)) (= x y)). For a formula with a
; constant of the sort, (exists ((x A)) (distinct x c)), cvc5 returns the error "An uninterpreted constant was preregistered to the UF theory": it seems to instantiate
; the quantifier with values of its own model, which are distinct. cvc5's documentation says that quantifier elimination is complete for logics such as LRA, LIA and BV
; only, and calls the command experimental.
(set-logic ALL)
(declare-sort A 0)
(get-qe (exists ((x A) (y A)) (distinct x y)))
(check-sat)
