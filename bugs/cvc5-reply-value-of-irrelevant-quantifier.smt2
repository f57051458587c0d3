; title:        cvc5 says that all arrays are equal, if that is a disjunct of an assertion which holds without it
; kind:         reply
; question:     values
; evidence:     proved
; standing:     standard
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-reply-value-of-irrelevant-quantifier.smt2
; says:         sat, and true for get-value
; should say:   sat, and false for get-value
; affected:     1.4.2
; not affected: none that was tested; 1.2.0 to 1.4.1 answer unknown
; found:        question values, strategy generate in small scope, with a seed of corpus/smt/ALIA; reduced by gainsay from 670 bytes, and by hand
; tracker:      none found; near: cvc5 issue 11966 (closed; no value at all for a quantified formula that nothing depends on)
;
; There are four arrays from Bool to Bool, so that no b equals all of them. The answer sat is right, since a is 0 in cvc5's model and the second disjunct holds. Strings
; and sequences in the place of the array do the same; for integers and bit-vectors the value is false. The value seems to be what the search chose for the quantified
; formula, which nothing depends on. The file cvc5-reply-value-of-asserted-quantifier is about values that another instance of cvc5 computes, since 1.4.0.
(set-logic ALL)
(set-option :produce-models true)
(declare-const a Int)
(declare-const b (Array Bool Bool))
(assert (or (forall ((c (Array Bool Bool))) (= b c)) (< a 1)))
(check-sat)
(get-value ((forall ((c (Array Bool Bool))) (= b c))))
