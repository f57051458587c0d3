; title:        cvc5 answers unsat after one value of an array was blocked, although there are three others
; kind:         reply
; question:     models
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 --incremental cvc5-reply-block-model-values-array.smt2
; says:         sat unsat, and a constant array in between
; should say:   sat sat, and a value of a in between
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question models, strategy value, from a seed near a known bug of arrays and bit-vectors, reduced by gainsay from 450 bytes
; tracker:      none found; near: cvc5 pull request 9008 (merged; unsat after block-model by values, called a question of semantics)
;
; There are four arrays from Bool to Bool, and one is blocked. The documentation of cvc5's interface calls block-model-values
; experimental. z3 has no such command; it confirms the other value of a, which gainsay's evaluator finds right.
(set-option :produce-models true)
(set-logic ALL)
(declare-const a (Array Bool Bool))
(check-sat)
(get-value (a))
(block-model-values (a))
(check-sat)
