; title:        z3 returns an invalid model of Horn clauses that violates one of two queries
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-model-horn-two-queries.smt2
; says:         sat
; should say:   sat, with a model under which (a 3 3) is false
; affected:     4.8.5 4.8.6 4.8.7 4.8.8 4.8.9 4.8.10 4.8.12 4.8.13 4.8.14 4.8.15 4.8.16 4.9.0 4.10.1 4.11.1 4.11.2 4.12.0 4.12.1 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.16.0 5.4.0
; not affected: none that was tested
; found:        strategies horn and others from a published script; the cause is probably that of z3 issue 7319, which was open when that was published
; tracker:      z3 issue 7319 (closed, known, no repair planned): the same cause, nearly the same script
;
; The model is a(x, y) := not (y <= 0). Under it (a 3 3) holds, which the last clause forbids. A correct model is a(x, y)
; := (x = 1).
(set-logic HORN)
(declare-fun a (Int Int) Bool)
(assert (not (a 0 0)))
(assert (a 1 1))
(assert (forall ((k Int)) (=> (a 0 0) (a 0 k))))
(assert (=> (a 3 3) false))
(check-sat)
(get-model)
