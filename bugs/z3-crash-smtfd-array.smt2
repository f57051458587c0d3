; title:        z3 crashes when the tactic smtfd meets an array over integers
; kind:         crash
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-smtfd-array.smt2
; says:         nothing, a segmentation fault
; should say:   sat, unknown, or an error
; affected:     4.8.7 4.8.10 4.12.2 4.13.0 4.16.0 5.0.0 5.4.0
; not affected: none that was tested
; found:        question tactic: every tactic of z3's help on a script of each of thirteen theories, outside of campaigns; reduced by hand
; tracker:      none found; near: z3 issue 2932 (closed; a wrong answer of smtfd, which is called unsupported)
;
; The stack ends in smtfd::ar_plugin::model_value_core, which makes a constant array of no value. With arrays from Bool to Bool, the
; tactic answers.
(declare-const a (Array Int Int))
(assert (= (select a 1) 2))
(check-sat-using smtfd)
