; title:        cvc5 says that zero divided by a number can be one, with total division
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-solution-total-division.smt2
; says:         sat
; should say:   unsat
; affected:     1.2.0 1.4.2
; not affected: none that was tried
; found:        among 150 generated scripts of the theory cvc5int in small scope; proved by exhaustion: all 2 assignments were evaluated; reduced by hand
; tracker:      none found
;
; The documentation of cvc5's interface defines the total division by zero as 0, and calls the operator experimental. cvc5 prints 0 for x and 0 for (div_total 0 x), which
; is not 1. With (= x 0) in the place of the bounds it answers unsat. It answers sat as well to (= (/_total 1.0 x) 5.0) if x is 0.0 or 1.0, and unsat where it should for
; mod_total.
(set-logic ALL)
(declare-const x Int)
(assert (<= 0 x 1))
(assert (= (div_total 0 x) 1))
(check-sat)
