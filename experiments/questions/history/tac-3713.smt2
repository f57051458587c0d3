; question: tactic
; affected: z3@4.8.7
; right:    z3@5.4.0
; issue:    https://github.com/Z3Prover/z3/issues/3713 (dom-simplify loses an assertion)
(set-option :rewriter.flat false)
(set-option :rewriter.cache_all true)
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (exists ((a Bool) (b Bool) (c Bool)) a))
(assert (not (forall ((a Bool) (b Bool) (c Bool)) (not (not (=> p q))))))
(assert r)
(assert (or (=> p q) p r))
(assert (=> p q))
(check-sat-using (then simplify dom-simplify purify-arith qfuf))
