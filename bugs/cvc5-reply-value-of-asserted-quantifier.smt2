; title:        cvc5 says that the only assertion of a satisfiable script is false, if it is quantified and divides by zero
; kind:         reply
; question:     values
; evidence:     proved
; standing:     standard
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-reply-value-of-asserted-quantifier.smt2
; says:         sat, and false for get-value
; should say:   sat, and true for get-value
; affected:     1.4.0 1.4.1 1.4.2
; not affected: 1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4
; found:        questions values and assignment, strategy operator, from a seed of corpus/smt; reduced by gainsay and by hand
; tracker:      none found; near: cvc5 issue 11966 (closed; its fix, pull request 12002, asks another instance for such values)
;
; The script is satisfiable: a is 0, and (div 0 0) is 0. get-value contradicts the assertion. Reals and `/` do the same, and get-assignment for a named part of the
; assertion. Since 1.4.0 get-value asks another instance of cvc5 about quantified formulas (pull request 12002); this instance seems to choose another result of the
; division by zero than the model has.
(set-logic NIA)
(set-option :produce-models true)
(declare-const a Int)
(assert (forall ((t Int)) (= (div a t) (- a))))
(check-sat)
(get-value ((forall ((t Int)) (= (div a t) (- a)))))
