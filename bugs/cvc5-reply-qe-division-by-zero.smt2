; title:        cvc5 eliminates a quantifier as if it could choose the result of a division by zero
; kind:         reply
; question:     elimination
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-reply-qe-division-by-zero.smt2
; says:         sat, and true for get-qe
; should say:   sat, and (= (mod 3 0) 4) or an equivalent formula for get-qe
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question elimination, a campaign in small scope; reduced by gainsay
; tracker:      none found
;
; The formula is true in some models and false in others: cvc5 answers sat both to it and to its negation. With --incremental and (get-qe (exists ((x Int)) (= (mod 3 0)
; 3))) before it, the result is false. get-qe-disjunct does the same.
(set-logic ALL)
(get-qe (exists ((x Int)) (= (mod 3 0) 4)))
(check-sat)
