; title:        z3 takes a rational number for the tangent of 2
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-tangent.smt2
; says:         sat
; should say:   unsat
; affected:     5.3.0 5.3.1 5.3.2 5.4.0
; not affected: 4.8.5 4.8.7 4.8.8 4.8.10 4.8.11 4.12.1 4.12.2 4.12.3 4.12.4 4.12.6 4.13.3 4.15.0 4.15.3 4.15.4 4.15.8 4.16.0, which say unknown
; found:        a campaign of the question synthesis on corpus/smt/UFLRA/midpoint.smt2 (operator, generative, subterm), which showed a rational number in a model; made a wrong answer by hand
; tracker:      none found; near: z3 pull 10870 (open; bounds of atan by floats are made exact)
;
; The tangent of 2 is irrational, -2.185039863261…. z3 accepts what is near enough, here and for the tangents of 4, 5, 7 and 8 to eleven digits, while it refutes such numbers for the tangents of 1 and 3. Its models have the same numbers:
; with (= (f 0.0) (tan 2.0)), f has the value -300309592101/137438953472 (5.4.0; 5.3.2 says unknown).
(set-logic ALL)
(assert (= (tan 2.0) (- 2.18503986326)))
(check-sat)
