; title:        z3 says that pi can be 3.1415 or less
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-pi.smt2
; says:         sat
; should say:   unsat
; affected:     5.3.0 5.3.1 5.3.2 5.4.0
; not affected: 4.8.5 4.12.3 4.15.1 5.1.0, which say unknown
; found:        strategy generate, theory z3real, in a campaign of z3 alone on corpus/z3, which showed an invalid model; made a wrong answer by hand
; tracker:      none found
;
; z3 seems to know pi up to four digits only: it answers sat to pi at most 3.1415 and to pi at least 3.1416, and unsat to 3.1414 and 3.1417. It refutes (= pi 3.1415),
; because pi is irrational. Versions before 5.3.0 answer unknown. The tangent of z3-solution-tangent comes from the same releases, but there numbers have eleven right
; digits.
(set-logic ALL)
(assert (<= pi 3.1415))
(check-sat)
