; title:        cvc5 returns a heap of one cell that an assertion forbids, beside a magic wand
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-model-heap-of-a-wand.smt2
; says:         sat
; should say:   sat, with a heap under which the first assertion holds
; affected:     1.2.0 1.3.1 1.3.2 1.3.3 1.4.2
; not affected: none that was tested
; found:        strategy generative, from corpus/cvc5, in a campaign of cvc5 alone; reduced by gainsay from 226 bytes
; tracker:      none found; near: cvc5 issues 12872 and 12103 (open; a heap of one cell beside a wand is wrong, maybe the same cause)
;
; The empty heap satisfies both assertions, but the heap that cvc5 prints is the one that the first assertion forbids. https://github.com/cvc5/cvc5/issues/12872, which is open, has a heap of one
; cell for a wand within a wand, and may have the same cause. cvc5's tracker calls separation logic experimental.
(set-logic QF_ALL)
(declare-heap (Int Int))
(assert (not (pto 1 1)))
(assert (sep true (wand (pto 1 1) (pto 1 1))))
(check-sat)
