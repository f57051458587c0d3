; title:        cvc5 crashes while it refines its model of a power of two whose exponent is a power of two
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-pow2-refinement.smt2
; says:         nothing, segmentation fault in Pow2Solver::checkFullRefine
; should say:   sat, unknown, or an error
; affected:     1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: 1.2.0 1.2.1 1.3.0: they end with an error about the size of an exponent
; found:        question proof, strategies operator, subterm and generative, from a seed near z3 issue 3910; the crash needs no proof; reduced by gainsay from 514 bytes
; tracker:      none found; near: cvc5 issue 10286 (open; too large an exponent, now an error)
;
; With a = 1 the assertion holds. The stack ends in Pow2Solver::checkFullRefine and in a copy of a number by GMP, as that of cvc5-crash-piand-refinement does in PIAndSolver, of other releases. Without the product,
; cvc5 answers sat. To (> (int.pow2 (* a 495)) 2) it prints an error that the exponent in (int.pow2 495) is not below 67108864.
(set-logic ALL)
(declare-const a Int)
(assert (> (int.pow2 (int.pow2 (* a 495))) 2))
(check-sat)
