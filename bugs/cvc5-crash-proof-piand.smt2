; title:        cvc5 cannot prove how it evaluates a bitwise and of symbolic width
; kind:         crash
; question:     proof
; evidence:     proved
; standing:     option
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-proof-piand.smt2
; says:         nothing, Fatal failure within TConvProofGenerator::getProofFor, "failed, mismatch", abort
; should say:   unsat
; affected:     1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: 1.2.0 1.2.1 1.3.0 1.3.1 do not have the operator; 1.3.2 aborts on it with an unhandled case, without the option too
; found:        question proof, strategy generative, from corpus/smt/QF_SLIA/one_of_two_words.smt2; reduced by gainsay from 423 bytes
; tracker:      none found; near: cvc5-projects issues 438 and 773, cvc5 issue 12241 (closed; the same message about bit-vectors, a normal form and strings)
;
; The rewriter makes (mod 1 (int.pow2 1)) of the term and the proof has (mod 1 2), or 1. Without check-proofs cvc5 answers unsat. iand, int.pow2 and int.log2 are proved.
(set-option :check-proofs true)
(set-logic ALL)
(assert (= 0 (piand 1 1 1)))
(check-sat)
