; title:        yices answers sat where a let that shadows a variable has another binding after it
; kind:         solution
; evidence:     proved
; solver:       yices@2.6.5
; beside:       z3@5.4.0, cvc5@1.4.2
; command:      yices-smt2 yices-solution-let-shadow.smt2
; says:         sat
; should say:   unsat
; affected:     2.6.5
; not affected: none that was asked
; found:        seed of our own with shadowed names, reduced
;
; The inner x is true and the outer x is false, so the equation is false, whatever z is: SMT-LIB binds in parallel. There is nothing
; to choose. yices answers sat; z3 and cvc5 answer unsat. Without z it answers unsat, too.
(set-logic QF_UF)
(assert (let ((x false)) (= (let ((x true) (z x)) x) x)))
(check-sat)
