; title:        z3 returns an invalid model for values of an enumeration of which three are not distinct
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-model-enumeration-distinct.smt2
; says:         sat, and that e is a and d is c
; should say:   sat, with two equal ones of e, b and d
; affected:     5.4.0
; not affected: 4.8.7 4.8.8 4.8.10 4.8.11 4.8.17 4.12.1 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.15.8 4.16.0 5.0.0 5.1.0 5.3.0 5.3.2 5.3.3
; found:        questions values and assignment, strategy generate in the logic QF_DT; reduced by gainsay
; tracker:      none found
;
; Under the model, a, b and c are distinct, and get-value calls the assertion false. The model lists a universe of two elements for (_ BitVec 2). Without set-logic z3's
; model is right.
(set-option :produce-models true)
(set-logic QF_DT)
(declare-datatypes ((U 0)) (((a) (b) (c))))
(declare-const d U)
(declare-const e U)
(assert (not (distinct e b d)))
(check-sat)
(get-model)
