; title:        z3 returns an invalid model where a rounding mode selects the element of an array
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-model-fp-rounding-index.smt2
; says:         sat
; should say:   sat, with a model under which the comparison holds
; affected:     4.8.5 4.8.6 4.8.7 4.8.10 4.8.12 4.8.13 4.8.14 4.8.15 4.8.16 4.9.0 4.10.1 4.10.2 4.11.2 4.12.0 4.12.1 4.12.2 5.3.3 5.4.0
; not affected: 4.8.8 4.8.9 4.11.0 4.11.1 4.12.3 4.12.4 4.12.5 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.16.0 5.3.1 5.3.2
; found:        strategies fusion, operator and subterm in a chain of seven from corpus/smt/QF_FP/fused_is_not_split.smt2, fused with corpus/smt/QF_ABVFP/stored_floats.smt2; reduced from 1687 bytes
; tracker:      none found; near: z3 issue 5769 (closed; models with a rounding mode, no arrays; repaired)
;
; In the model, m is RNE, so the assertion compares a[0] with a[z]. a[0] is #x2001, a normal number; a[2], with z = #x2, is #x0001, the
; least positive number: the first is not less than the second. With m = RTZ, and a[15] and a[13] as in the model, the
; comparison would hold, so z3 probably prints another rounding mode than it used. model_validate=true reports it, too. Releases that
; are not affected find another model.
(declare-const m RoundingMode)
(declare-const a (Array (_ BitVec 4) (_ BitVec 16)))
(declare-const z (_ BitVec 4))
(assert (fp.lt ((_ to_fp 5 11) (select a (ite (= m RNE) #b0000 (bvnot #b0000)))) ((_ to_fp 5 11) (select a (ite (= m RNE) z (bvnot z))))))
(check-sat)
(get-model)
