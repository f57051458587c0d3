; title:        z3 aborts when the tactic sls-smt meets update-field of a datatype
; kind:         crash
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-sls-update-field.smt2
; says:         nothing, an assertion violation in sls_datatype_plugin.cpp (NOT IMPLEMENTED YET)
; should say:   sat, unknown, or an error
; affected:     4.16.0 5.0.0 5.4.0
; not affected: none that was tested
; found:        question tactic: every tactic of z3's help on a script of each of thirteen theories, outside of campaigns; reduced by hand
; tracker:      none found
;
; The local search of the tactic lacks this operator. That ends the whole process, with exit code 107, where the tactic could give up.
; To (check-sat) in the place of the last command, z3 answers sat.
(declare-datatypes ((L 0)) (((nil) (cons (tl L)))))
(declare-const l L)
(assert (= l ((_ update-field tl) l nil)))
(check-sat-using sls-smt)
