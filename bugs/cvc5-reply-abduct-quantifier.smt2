; title:        cvc5 gives an abduct that contradicts the assertions, a quantifier over Booleans
; kind:         reply
; question:     abduct
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-reply-abduct-quantifier.smt2
; says:         nothing, (define-fun a () Bool (not (f true)))
; should say:   fail: the assertion implies (f true), so that nothing consistent with it implies the conjecture
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tried
; found:        question abduct, in a campaign whose finding was followed later; made smaller by hand
; tracker:      none found
;
; With x = false the assertion says (f true). cvc5 warns that its solver "failed to verify a candidate solution, likely due to the base logic being undecidable", and
; prints the abduct all the same; the quantifier ranges over two values. With --check-abducts it says that the abduct "cannot be shown to be consistent", and prints it as
; well. The documentation of cvc5's interface says that the abduct is consistent with the assertions, and calls the command experimental.
(set-option :produce-abducts true)
(set-logic ALL)
(declare-fun f (Bool) Bool)
(assert (forall ((x Bool)) (f (not x))))
(get-abduct a (not (f true)))
