; title:        cvc5's proof checker rejects a step of its own proof about the lengths of two characters of a string
; kind:         crash
; question:     proof
; evidence:     proved
; standing:     option
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-crash-proof-string-lengths.smt2
; says:         nothing, Fatal failure within ProofChecker::check, "failed, result does not match expected value", ProofRule: ARITH_POLY_NORM, abort
; should say:   unsat
; affected:     1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: 1.2.0 1.2.1
; found:        question proof, strategy generate in small scope; reduced by gainsay from 1,723 bytes, then by hand
; tracker:      none found; near: cvc5 issue 12810 (the same message with another rule), cvc5-projects issues 772 (open) and 780 (closed; the same message about nonlinear arithmetic)
;
; The step claims that x = 1 + x - y is an arithmetic identity, where x and y are the lengths of the first two characters. It is no identity: it says that y is 1. Without proof-check=eager, cvc5 answers unsat and reports nothing.
; cvc5-projects issue 780 needs the same option and is repaired; its label is "safe-options".
(set-option :check-proofs true)
(set-option :proof-check eager)
(set-logic QF_SLIA)
(declare-const a String)
(assert (= (str.at a 1) (str.++ (str.at a 0) "0")))
(check-sat)
