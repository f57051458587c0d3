; title:        z3 returns an invalid model of Horn clauses that violates a rule over two predicates
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-model-horn-sliced-argument.smt2
; says:         sat
; should say:   sat, with a model of all clauses
; affected:     4.8.15 4.8.16 4.9.0 4.10.1 4.11.1 4.11.2 4.12.0 4.12.1 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.16.0 5.4.0
; not affected: none that was tested
; found:        strategy horn with the script of z3 issue 5880 (HornFuzz) as a seed; 69 of 368 cases in 12 s showed it or a similar model
; tracker:      none found; near: z3 issues 5880 (closed; the seed, another model), 5920 (open; collects such models)
;
; The model is Q(x, y) := not y, R(x) := (x = 0). The third clause fails at b = 2, c = 0: R(0) and Q(2, false) hold, R(2) does not.
; A correct model is Q(x, y) := (x = 0 and not y), R(x) := (x = 0).
(set-logic HORN)
(declare-fun Q (Int Bool) Bool)
(declare-fun R (Int) Bool)
(assert (=> (Q 0 true) false))
(assert (forall ((a Int)) (=> (Q a true) (Q 0 true))))
(assert (forall ((b Int) (c Int)) (=> (and (R c) (Q b false)) (R b))))
(assert (Q 0 false))
(assert (R 0))
(check-sat)
(get-model)
