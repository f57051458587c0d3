; title:        cvc5 aborts with macros-quant and learned-rewrite: it finds a recursive function defined twice
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     option
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-macros-recursive-definitions.smt2
; says:         nothing, Fatal failure within QuantAttributes::computeAttributes, "Cannot define function a more than once", abort
; should say:   unsat
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question preprocess, strategy generative, from corpus/smt/ALL/mutual_recursion.smt2; reduced by gainsay from 397 bytes
; tracker:      none found; near: cvc5 issue 12663 (closed; the same message, from reset-assertions and without the options)
;
; With one of the two options alone the answer is unsat, which is right: (b 0) is (< 0 0). https://github.com/cvc5/cvc5/issues/12663 is closed and has the same
; message, without these options, in an incremental script that resets its assertions.
(set-option :learned-rewrite true)
(set-option :macros-quant true)
(set-logic ALL)
(define-funs-rec ((a ((k Int)) Bool) (b ((k Int)) Bool)) ((or (< k 0) (b 0)) (< k 0)))
(assert (b 0))
(check-sat)
