; title:        cvc5 crashes on an element of an empty sequence of sequences
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-sequence-nth-of-empty.smt2
; says:         nothing, segmentation fault
; should say:   sat
; affected:     1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: 1.2.0 did not decide it
; found:        questions values and assignment, strategy generate over sequences in small scope; reduced by gainsay
; tracker:      none found; near: cvc5 issue 6510 (closed; seq.nth of an empty sequence of Booleans, a failed check)
;
; The element is any sequence, since it is out of range, and no sequence need contain what is at its place 0.
(declare-const a (Seq Int))
(assert (not (seq.contains a (seq.at (seq.nth (as seq.empty (Seq (Seq Int))) 0) 0))))
(check-sat)
