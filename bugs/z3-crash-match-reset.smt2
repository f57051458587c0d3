; title:        z3 crashes when it reads a second match after a reset
; kind:         crash
; question:     sequence
; evidence:     proved
; standing:     standard
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-match-reset.smt2
; says:         sat, then a segmentation fault
; should say:   sat sat
; affected:     4.8.5 4.8.6 4.8.7 4.8.8 4.8.9 4.8.10 4.8.12 4.8.13 4.8.14 4.8.15 4.8.16 4.9.0 4.10.1 4.11.1 4.11.2 4.12.0 4.12.1 4.12.2 4.13.0 4.13.1 4.14.0 4.14.1 4.15.0 4.15.4 4.16.0 5.4.0
; not affected: 4.13.2 4.13.3 4.13.4 4.15.1 4.15.3
; found:        gainsay's session driver, which keeps z3 alive between scripts: seeds with match crashed it, so gainsay now runs them in separate processes
; tracker:      none found
;
; The script after (reset) is the same as before it. z3 dies of signal 11 while it reads the second match. This affects programs
; that use z3 as a server.
(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(declare-const x L)
(assert (match x ((nil true) ((cons h t) (< h 0)))))
(check-sat)
(reset)
(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(declare-const x L)
(assert (match x ((nil true) ((cons h t) (< h 0)))))
(check-sat)
