; title:        z3 loses an equation with set-simplifier euf-completion, and answers sat to an unsatisfiable script
; kind:         solution
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       cvc5@1.4.2
; command:      z3 z3-solution-simplifier-euf-completion.smt2
; says:         sat
; should say:   unsat
; affected:     4.15.4 4.15.8 4.16.0 5.0.0 5.1.0 5.3.0 5.3.1 5.3.2 5.3.3 5.4.0
; not affected: 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1; 4.15.3 crashes
; found:        a script of random assertions outside of gainsay, reduced from 205 bytes by gainsay; question tactic met the same cause later
; tracker:      none found; near: z3 issue 7806 (closed; a crash of the tactic, called too preliminary for reports)
;
; The model that z3 gives has a = -1, so the first assertion is gone. Without the simplifier, or without the conjunct true, the answer is
; unsat. Releases before 4.12.2 do not have set-simplifier.
(declare-const a Int)
(set-simplifier euf-completion)
(assert (= a 0))
(assert (and true (> 0 a)))
(check-sat)
