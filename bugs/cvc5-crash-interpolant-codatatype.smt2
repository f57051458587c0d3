; title:        cvc5 crashes when it is asked for an interpolant of an assertion about a codatatype
; kind:         crash
; question:     interpolant
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-interpolant-codatatype.smt2
; says:         nothing, segmentation fault in NodeManager::getType
; should say:   fail: the assertion is satisfiable, and nothing implies false
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question interpolant, small scope on the seeds of corpus/cvc5; reduced by gainsay
; tracker:      none found; near: cvc5 issue 4302 (open; sygus-inference over a codatatype fails another check)
;
; The stack ends in ExtendedRewriter::extendedRewrite, Rewriter::rewriteTo, NodeManager::getType: the rewriter gets a node without a type.
(set-logic ALL)
(set-option :produce-interpolants true)
(declare-codatatypes ((Stream 0)) (((cons (tail Stream)))))
(declare-const t Stream)
(assert (= t (cons t)))
(get-interpolant m false)
