; title:        yices answers sat if a let binds a variable again and has another binding after it
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       yices@2.6.5
; beside:       z3@5.4.0, cvc5@1.4.2
; command:      yices-smt2 yices-solution-let-shadow.smt2
; says:         sat
; should say:   unsat
; affected:     2.6.5
; not affected: none that was tested
; found:        a seed of corpus/ with shadowed names, reduced
; tracker:      none found
;
; The inner x is true and the outer x is false, so the equation is false, whatever z is: let binds in parallel. The script has no free
; constant. yices answers sat; z3 and cvc5 answer unsat. Without z, yices answers unsat, too.
(set-logic QF_UF)
(assert (let ((x false)) (= (let ((x true) (z x)) x) x)))
(check-sat)
