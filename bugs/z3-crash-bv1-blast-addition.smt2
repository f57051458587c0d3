; title:        z3 crashes when the tactic bv1-blast meets an addition
; kind:         crash
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-bv1-blast-addition.smt2
; says:         nothing, a segmentation fault
; should say:   goals, or an error
; affected:     5.4.0
; not affected: 4.8.7 4.8.10 4.12.2 4.13.0 4.16.0
; found:        question tactic, strategy subterm, from corpus/smt/QF_BV/wide_words.smt2, reduced from 480 bytes by gainsay
; tracker:      none found
;
; The help of the tactic says that it only supports equality, extract and concat. Earlier releases leave other terms alone; 5.4.0
; dies of signal 11.
(assert (= #b000 (bvadd #b000 #b000)))
(apply bv1-blast)
