; title:        cvc5 learns that a variable is true from the assertion that it is false, with unconstrained-simp
; kind:         reply
; question:     preprocess
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-reply-learned-literal-unconstrained.smt2
; says:         sat, and the learned literal (= a true)
; should say:   sat, and (= a false) or no learned literal
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question preprocess, strategy generate; reduced by gainsay and by hand
; tracker:      none found
;
; Without unconstrained-simp the literal is (= a false). The simplification replaces the assertion by a fresh constant; its substitution ends up among the literals of the
; input. For (assert (= 3 (+ a 1))) over integers cvc5 returns (= unconstrained_2 true), a name that the user never declared.
(set-option :produce-learned-literals true)
(set-option :unconstrained-simp true)
(set-logic ALL)
(declare-const a Bool)
(assert (not a))
(check-sat)
(get-learned-literals :preprocess_solved)
