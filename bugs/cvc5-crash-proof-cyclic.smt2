; title:        cvc5 finds a cycle in its own proof about a replacement by a regular expression
; kind:         crash
; question:     proof
; evidence:     proved
; standing:     option
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-crash-proof-cyclic.smt2
; says:         unsat, Fatal failure within ProofNodeUpdater::processInternal, "cyclic proof! (use --proof-check=eager)", abort
; should say:   unsat, and a proof
; affected:     1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: 1.2.0 1.2.1
; found:        question proof, from a seed near a known bug of regular expressions (strategies generative and operator); reduced by gainsay from 350 bytes
; tracker:      none found; near: cvc5-projects issue 781 (closed; the same message, str.contains), cvc5 issue 9172 (closed; the same message, str.prefixof)
;
; Nothing is in re.none, so that the assertion is false. Without check-proofs, cvc5 prints a proof. Each of the three parts of the union is needed.
(set-option :check-proofs true)
(set-logic QF_SLIA)
(declare-const a String)
(assert (str.in_re (str.replace_re a (re.union (str.to_re "") (re.comp re.none) (str.to_re a)) a) re.none))
(check-sat)
(get-proof)
