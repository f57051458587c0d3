; title:        cvc5 says that the bitwise and of no bits can be negative
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-solution-piand-no-bits.smt2
; says:         sat
; should say:   unsat
; affected:     1.3.3 1.4.2
; not affected: none that was tried; 1.3.1 and earlier do not have the operator, and 1.3.2 aborts on it
; found:        among 150 generated scripts of the theory cvc5int in small scope; proved by exhaustion; reduced by gainsay, the bounds of k by hand
; tracker:      none found; near: cvc5 pull request 12350 (closed; width 0, but of iand)
;
; The documentation of cvc5's interface says that (piand k a b) is 0 if k is not positive. cvc5 prints -1 for (piand k 1 1), and answers sat to
; k between -1 and 1 as well. No option is needed, and the documentation does not call the operator experimental. A search of the tracker by these words
; found no issue; the operator came with pull request 12221.
(set-logic ALL)
(declare-const k Int)
(assert (= k (- 1)))
(assert (< (piand k 1 1) 0))
(check-sat)
