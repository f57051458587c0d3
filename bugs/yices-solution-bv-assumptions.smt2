; title:        yices answers sat to unsatisfiable assertions after it answered unsat under an assumption
; kind:         solution
; question:     sequence
; evidence:     proved
; standing:     standard
; solver:       yices@2.6.5
; beside:       z3@5.4.0, cvc5@1.4.2
; command:      yices-smt2 --incremental yices-solution-bv-assumptions.smt2
; says:         unsat sat
; should say:   unsat unsat
; affected:     2.6.5
; not affected: none that was tested
; found:        strategies subterm, value and operator in a chain from corpus/smt/QF_BV/assumptions.smt2, reduced from 255 bytes
; tracker:      yices2 issue 433: the same cause, nearly the same script; closed, fixed after 2.6.5 by pull request 585
;
; No x is less than 1 and equal to 1. The first answer is correct; to the plain check-sat after it, which asks the same without the
; assumption, yices answers sat. No assertion mentions the assumption p. To two plain checks yices answers unsat twice.
(set-logic QF_BV)
(declare-const p Bool)
(declare-const x (_ BitVec 2))
(assert (bvult x #b01))
(assert (= x #b01))
(check-sat-assuming (p))
(check-sat)
