; title:        cvc5 crashes while it refines its model of a bitwise and of symbolic width
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-piand-refinement.smt2
; says:         nothing, segmentation fault in PIAndSolver::checkFullRefine
; should say:   unsat
; affected:     1.3.3 1.4.2
; not affected: none that was tried; 1.3.1 and earlier do not have the operator, and 1.3.2 aborts on it with an unhandled case
; found:        strategy generate, from corpus/cvc5, in a campaign of cvc5 alone; reduced by gainsay from 588 bytes, the datatype by hand
; tracker:      none found
;
; The stack ends in PIAndSolver::checkFullRefine and in a copy of a number by GMP. No number is both odd, as the second assertion forbids, and 1, as the first asks for.
; With a declared function in the place of the selector cvc5 answers unsat. No option is needed.
(set-logic ALL)
(declare-datatypes ((D 0)) (((a (b Int)))))
(declare-const c Int)
(declare-const d D)
(declare-const e D)
(assert (<= 1 c (piand (b e) (b d) 1)))
(assert (= 0 (piand 1 (piand c c 1) c)))
(check-sat)
