; title:        cvc5 returns an invalid model in which the element that it chooses from a set is not in the set
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-model-set-choose.smt2
; says:         sat, f is 0
; should say:   sat, f is 1 or 2
; affected:     1.4.2
; not affected: 1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1: they print the term that chooses as the value of f
; found:        by hand: values of every operator of cvc5 of constants that have one value only
; tracker:      none found; near: cvc5 pull request 4211 (merged; it adds the operator and says what it means)
;
; cvc5 removes f by the second assertion, and evaluates the term in its place as any integer. (get-value ((set.member f x))) is false. With (assert (set.member f x)) in addition the answer is right. cvc5's documentation of SET_CHOOSE says that
; of a set with several elements it "will deterministically return an element", and calls the kind experimental; its page on sets and relations does not.
(set-option :produce-models true)
(set-logic ALL)
(declare-const x (Set Int))
(declare-const f Int)
(assert (= x (set.union (set.singleton 1) (set.singleton 2))))
(assert (= f (set.choose x)))
(check-sat)
(get-model)
