; title:        cvc5 gives a model of arrays over a declared sort in which arrays that must differ are equal
; kind:         model
; evidence:     proved
; solver:       cvc5@1.4.2
; beside:       nobody
; command:      cvc5 cvc5-model-array-domain.smt2
; says:         sat
; should say:   sat, with a model under which the last assertion holds
; affected:     1.4.0 1.4.2
; not affected: 1.2.0 1.2.1 1.3.3 1.3.4
; found:        strategy operator from a benchmark of QF_AX (swap_invalid_t1_np_sf_ai_00005_001), = turned into distinct; reduced by triage while the campaign ran
;
; The model says that the sort a has one element, @a_0, in the comments that cvc5 writes before it ("cardinality of a is 1"), and
; that f is this element. Then an array is what it holds there, and (store c f 0) is the same as d, which is 0 everywhere: the last
; assertion is false. Where a has more elements all is well, because c holds 1 at them, so that cvc5 probably takes the sort for
; infinite while it builds arrays and for as small as its constants afterwards.
;
; Whether this is a bug depends on what the comments mean. The documentation of cvc5's interface says of the elements of a sort that
; are printed there that the model interprets the sort as the finite one that has them. With --finite-model-find, where sorts are
; finite because the user wants it, the model is the same. --check-models finds nothing wrong with it.
;
; Probably of the same cause, though all releases from 1.2.0 on show it and --finite-model-find does not: (declare-const a (Array U
; U)) (assert (exists ((b (Array U U))) (not (= b a)))) is sat with "cardinality of U is 1", where there is one array.
(set-option :produce-models true)
(set-logic QF_AUFLIA)
(declare-sort a 0)
(declare-const b (Array a Int))
(declare-const c (Array a Int))
(declare-const d (Array a Int))
(declare-const e Int)
(declare-const f a)
(assert (not (= c (store b f e))))
(assert (distinct d (store c f 0)))
(check-sat)
(get-model)
