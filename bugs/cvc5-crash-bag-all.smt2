; title:        cvc5 aborts on bag.all and bag.some of a bag and a predicate that are values
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-bag-all.smt2
; says:         nothing, a fatal failure within BagsUtils::evaluate: Unexpected bag kind 'bag.all'
; should say:   sat
; affected:     1.4.2
; not affected: no other release was tried
; found:        comparison of the evaluator with cvc5, operator by operator, then by hand
; tracker:      none found; near: cvc5 issue 5460 (closed; the same message for an equation of bags)
;
; Every element of the empty bag satisfies the predicate. bag.some aborts in the same place. The rewriter evaluates operators of bags if all
; their arguments are values, and does not know these two. Bags are part of the documented theories of cvc5.
(set-logic HO_ALL)
(assert (bag.all (lambda ((z Bool)) true) (as bag.empty (Bag Bool))))
(check-sat)
