; title:        z3 returns an invalid model of Horn clauses that makes a proposition true that a query forbids
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-model-horn-proposition.smt2
; says:         sat
; should say:   sat, with a model under which a is false
; affected:     4.8.5 4.8.6 4.8.7 4.8.8 4.8.9 4.8.10 4.8.12 4.8.13 4.8.14 4.8.15 4.8.16 4.9.0 4.10.1 4.11.1 4.11.2 4.12.0 4.12.1 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.16.0 5.4.0
; not affected: none that was tested
; found:        strategy horn with the script of z3 issue 5918 (HornFuzz) as a seed
; tracker:      z3 issue 5866 (open): the same symptom, probably the same cause; issue 5918 (closed) was the seed
;
; The first clause requires a to be false; in z3's model it is true. A correct model is a := false, b(x) := (x = 0),
; c(x) := (x >= 0).
(set-logic HORN)
(declare-const a Bool)
(declare-fun b (Int) Bool)
(declare-fun c (Int) Bool)
(assert (=> a false))
(assert (=> (b 1) a))
(assert (=> (and a (c 0)) (b 0)))
(assert (forall ((d Int)) (=> (and (c d) (< d 0)) a)))
(assert (forall ((e Int)) (=> (> e 1) (c 0))))
(assert (c 1))
(check-sat)
(get-model)
