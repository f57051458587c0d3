; title:        cvc5 says unsat to a wand that holds because its location is nil
; kind:         refutation
; question:     check-sat
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-refutation-wand-nil.smt2
; says:         unsat
; should say:   sat
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        experiments/exhaustion/own_theories.py, script 268 of separation-one, reduced by hand; proved by an assignment that satisfies it
; tracker:      none found; near: cvc5 issue 12920 (open; unknown, not unsat, to a wand that holds because no heap fits)
;
; No heap has a cell at nil, so with x nil the premise of the wand holds of no heap, and the wand of every heap. cvc5 contradicts itself: with
; (assert (= x (as sep.nil Int))) in addition it says sat. cvc5's tracker calls separation logic experimental.
(set-logic QF_ALL)
(declare-heap (Int Int))
(declare-const x Int)
(assert sep.emp)
(assert (wand (pto x 0) false))
(check-sat)
