; title:        yices answers unsat to an equation of two updates of an array of Booleans, in logics with nonlinear arithmetic
; kind:         refutation
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       yices@2.6.5
; beside:       z3@5.4.0
; command:      yices-smt2 yices-refutation-mcsat-boolean-array.smt2
; says:         unsat
; should say:   sat
; affected:     2.6.5
; not affected: none that was tested
; found:        question tactic, strategy construct, from corpus/smt/ALL/constant_array_is_constant.smt2, in a campaign of yices with two references; made smaller by hand
; tracker:      yices2 issue 536 (closed in 2026; wrong unsat about arrays with Boolean elements in QF_ANIA, found on 2.6.5; repaired in the repository, and 2.6.5 is the newest release on the package index)
;
; Any array with true at 1 and false at 0 satisfies it. In QF_ALIA, where yices uses another solver, the answer to such a script is sat, and so it is in QF_ANIA with integers in the place of the Booleans.
(set-logic QF_ANIA)
(declare-const a (Array Int Bool))
(assert (= (store a 1 true) (store a 0 false)))
(check-sat)
