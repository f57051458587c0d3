; title:        z3 says that the hyperbolic sine of zero is not zero
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-hyperbolic-sine.smt2
; says:         sat
; should say:   unsat
; affected:     5.4.0
; not affected: 4.8.5 4.8.7 4.8.8 4.8.10 4.8.11 4.12.1 4.12.2 4.12.3 4.12.4 4.12.6 4.13.3 4.15.0 4.15.3 4.15.4 4.15.8 4.16.0 5.3.0 5.3.1 5.3.2, which say unknown
; found:        random applications of every operator, whose values gainsay computes (crates/cli/tests/evaluator_against_solvers.rs)
; tracker:      none found
;
; sinh(0) = 0. The same with cosh(0) = 1, while z3 refutes (< (cosh x) 1.0) and (not (= (sin 0.0) 0.0)).
; Perhaps with the same cause, z3 (5.3.3 and 5.4.0) says sat to (<= 0.0 x 0.5) with (< (tan x) 0.0), where x is 0 in its model, and so for asin, asinh and sinh; from 0.1 on it answers unsat. cvc5 refutes the tangent.
(set-logic ALL)
(assert (not (= (sinh 0.0) 0.0)))
(check-sat)
