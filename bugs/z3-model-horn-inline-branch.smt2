; title:        z3 returns an invalid model of Horn clauses with fp.xform.inline_linear_branch
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     option
; solver:       z3@5.4.0 fp.xform.inline_linear_branch=true
; beside:       no other solver
; command:      z3 fp.xform.inline_linear_branch=true z3-model-horn-inline-branch.smt2
; says:         sat
; should say:   sat, with a model under which (a 0 false) is false
; affected:     4.8.5 4.8.6 4.8.7 4.8.8 4.8.9 4.8.10 4.8.12 4.8.13 4.8.14 4.8.15 4.8.16 4.9.0 4.10.1 4.11.1 4.11.2 4.12.0 4.12.1 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.16.0 5.4.0
; not affected: none that was tested
; found:        strategy horn, 44 mutations of LIA-Lin_010 of CHC-COMP with options drawn, reduced from 28618 bytes
; tracker:      z3 issues 5882 and 5913 (closed): the same option and symptom; issue 5920 (open) collects such models
;
; The model is a(x, y) := not (x >= 1). Under it (a 0 false) holds, which the second clause forbids. A correct model is
; a(x, y) := (x = 0 and y).
(set-logic HORN)
(declare-fun a (Int Bool) Bool)
(assert (forall ((V Bool) (b Int)) (=> (and (a b V) (or (= b 5) (= b 1))) (a 0 false))))
(assert (=> (a 0 false) false))
(assert (forall ((G Bool)) (=> G (a 0 G))))
(check-sat)
(get-model)
