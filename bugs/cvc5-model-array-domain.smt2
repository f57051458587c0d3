; title:        cvc5 returns an invalid model in which arrays over a declared sort are equal that must differ
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-model-array-domain.smt2
; says:         sat
; should say:   sat, with a model under which the last assertion holds
; affected:     1.4.0 1.4.2
; not affected: 1.2.0 1.2.1 1.3.3 1.3.4
; found:        strategy operator from a benchmark of QF_AX (swap_invalid_t1_np_sf_ai_00005_001), = replaced by distinct; reduced by triage while the campaign ran
; tracker:      none found; near: cvc5 issue 6100 (closed; array sort of one element taken as infinite, a crash with finite-model-find)
;
; The model says that the sort a has one element, @a_0, in the comments that cvc5 writes before it ("cardinality of a is 1"), and
; that f is this element. Then the element at f determines an array, and (store c f 0) equals d, which is 0 everywhere: the last
; assertion is false. If a had more elements, the model would be valid, because c holds 1 at them. So cvc5 probably treats the sort
; as infinite while it builds arrays, and as having only its constants afterwards.
;
; Whether this is a bug depends on what the comments mean. The documentation of cvc5's interface says that the model interprets the
; sort as the finite set of the elements that are printed there. With --finite-model-find, where the user asks for finite sorts, the
; model is the same. --check-models accepts it.
;
; Probably with the same cause, although all releases from 1.2.0 on show it and --finite-model-find does not: (declare-const a (Array U
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
