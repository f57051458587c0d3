; title:        z3 crashes when the tactic smtfd meets a quantifier over a function
; kind:         crash
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-smtfd-forall.smt2
; says:         nothing, a segmentation fault
; should say:   sat, unknown, or an error
; affected:     4.8.7 4.8.10 4.12.2 4.13.0 4.16.0 5.0.0 5.4.0
; not affected: none that was tested
; found:        question tactic: every tactic of z3's help on a script of each of thirteen theories, outside of campaigns; reduced by hand
; tracker:      none found; near: z3 issue 2932 (closed; a wrong answer of smtfd, which is called unsupported)
;
; The stack ends in smtfd::mbqi::check_forall, which evaluates the quantifier in a model without an interpretation of f: another place
; than that of z3-crash-smtfd-array.
(declare-fun f (Int) Int)
(assert (forall ((x Int)) (= (f x) 1)))
(check-sat-using smtfd)
