; title:        cvc5 says that the only assertion of a satisfiable script is false, if it is about the heap
; kind:         reply
; question:     values
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-reply-value-of-heap-formula.smt2
; says:         sat, and false for get-value
; should say:   sat, and true for get-value
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question values, small scope on the seeds of corpus/cvc5; reduced by gainsay
; tracker:      none found; near: cvc5 pull request 12869 (open; it teaches cvc5 to evaluate such formulas)
;
; get-value contradicts the assertion. For (assert sep.emp) it is right. Pull request 12869, open since August 2026, teaches cvc5 to evaluate such formulas; cvc5's tracker
; calls separation logic experimental.
(set-logic QF_ALL)
(set-option :produce-models true)
(declare-heap (Int Int))
(declare-const y Int)
(assert (sep (< 0 y) sep.emp))
(check-sat)
(get-value ((sep (< 0 y) sep.emp)))
