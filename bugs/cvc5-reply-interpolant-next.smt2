; title:        cvc5 gives the same interpolant again when it is asked for the next one
; kind:         reply
; question:     interpolant
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 --incremental cvc5-reply-interpolant-next.smt2
; says:         nothing, (define-fun a () Bool (or (not (<= x 4)) (= x 4))) twice
; should say:   two different interpolants, or fail
; affected:     1.3.4 1.4.0 1.4.1 1.4.2
; not affected: 1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3
; found:        by hand, among scripts that ask cvc5 for one result after the other
; tracker:      none found; near: cvc5 pull request 7853 (merged; it adds the command and its promise)
;
; The documentation of cvc5's interface says that get-interpolant-next "is guaranteed to produce a syntactically different interpolant" than the last one, if it succeeds
; (https://github.com/cvc5/cvc5/pull/7853), and calls the command experimental. A third request gives another interpolant, and a fourth repeats that one. get-abduct-next
; on a similar script gives three different abducts.
(set-option :produce-interpolants true)
(set-logic QF_LIA)
(declare-const x Int)
(assert (> x 3))
(get-interpolant a (> x 2))
(get-interpolant-next)
