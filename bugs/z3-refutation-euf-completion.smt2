; title:        z3 says unsat with set-simplifier euf-completion: it asserts an equation that is one of two disjuncts
; kind:         refutation
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       cvc5@1.4.2
; command:      z3 z3-refutation-euf-completion.smt2
; says:         unsat
; should say:   sat
; affected:     4.15.4 4.15.8 4.16.0 5.0.0 5.1.0 5.3.0 5.3.1 5.3.2 5.3.3 5.4.0
; not affected: 4.12.2 4.12.3 4.12.4 4.12.5 4.12.6 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1; 4.15.3 crashes
; found:        question tactic, strategy operator, from corpus/smt/QF_NIA/division_by_a_variable.smt2; reduced by gainsay from 282 bytes
; tracker:      none found; near: z3 issue 7806 (closed; a crash of the tactic, called too preliminary for reports)
;
; Every positive x satisfies both assertions. z3 takes x = 0 for asserted once it has simplified the disjunction to true; an equation within an if-then-else that becomes
; true does the same, while (> x 5) or a Boolean constant in the place of the equation does not. The tactic of this name is wrong, too: (apply euf-completion) returns the
; goal false. Without the simplifier the answer is sat. The equation that z3-solution-simplifier-euf-completion is about is lost, not added; both mistakes came between
; 4.15.1 and 4.15.4.
(set-simplifier euf-completion)
(declare-const x Int)
(assert (> x 0))
(assert (or (= x 0) (> x 0)))
(check-sat)
