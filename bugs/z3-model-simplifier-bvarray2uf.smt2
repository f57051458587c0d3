; title:        z3 returns an invalid model for an array of bit-vectors with the simplifier bvarray2uf
; kind:         model
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       cvc5@1.4.2
; command:      z3 model_validate=true z3-model-simplifier-bvarray2uf.smt2
; says:         sat, with a model in which every element of m is #b0
; should say:   sat, with a model in which the element of m at #b0 is #b1
; affected:     5.0.0 5.1.0 5.3.0 5.3.1 5.3.2 5.3.3 5.4.0
; not affected: none that was tested
; found:        question tactic, strategy generative on a seed of arrays and bit-vectors; reduced by gainsay
; tracker:      none found; near: z3 issue 4046 (open; the tactic in 2020, nested arrays; probably another cause)
;
; The simplifier replaces the array by a function, and z3 does not give the array back its elements. Releases before 5.0.0 do not have the simplifier; in 5.4.0 the tactic
; of that name does the same. https://github.com/Z3Prover/z3/issues/4046 is open and is about the tactic, with nested arrays; a maintainer says there that the
; model conversion has several mistakes.
(declare-const m (Array (_ BitVec 1) (_ BitVec 1)))
(set-simplifier bvarray2uf)
(assert (distinct #b000 (concat #b0 (select (store (store m #b1 #b1) #b1 #b1) #b0) #b0)))
(check-sat)
