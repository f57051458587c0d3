; title:        z3 eliminates a quantifier over mod by a negative number wrongly
; kind:         reply
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       cvc5@1.4.2
; command:      z3 z3-reply-qe-negative-modulus.smt2
; says:         sat, goals without a formula
; should say:   sat, and goals that are equivalent to x > 1
; affected:     4.8.7 4.8.10 4.12.2 4.13.0 4.16.0 5.4.0
; not affected: none that was tested
; found:        question tactic, a generated script of linear integer arithmetic, reduced from 161 bytes by gainsay
; tracker:      z3 issue 5939 (closed as a double of 4175): the same cause
;
; The result says that every x satisfies the assertion, and x = 0 does not. With 2 for (- 2) the result is right. The tracker of z3 has
; the same cause in issue 5939, where the result is false.
(declare-const x Int)
(assert (forall ((z Int)) (< (mod z (- 2)) x)))
(check-sat)
(apply qe)
