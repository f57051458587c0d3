; title:        z3 returns an invalid model when it maximizes a real between two strict bounds
; kind:         model
; question:     objective
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 model_validate=true z3-model-optimum-strict-bounds.smt2
; says:         sat, and a model in which p is 0.0
; should say:   sat, and a model in which p is between 0 and 1
; affected:     5.0.0 5.1.0 5.3.0 5.3.1 5.3.2 5.3.3 5.4.0
; not affected: 4.8.5 4.8.6 4.8.7 4.8.8 4.8.9 4.8.10 4.8.11 4.8.12 4.8.13 4.8.14 4.8.15 4.8.16 4.8.17 4.9.0 4.9.1 4.10.0 4.10.1 4.10.2 4.11.0 4.11.1 4.11.2 4.12.0 4.12.1 4.12.2 4.12.3 4.12.4 4.12.5 4.12.6 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.15.8 4.16.0
; found:        question objective, strategy operator in small scope, from a seed of corpus/smt; reduced by hand
; tracker:      none found; near: z3 issue 10268 (closed), pulls 10048 and 10059 (strict bounds; the objective, not the model)
;
; The objective is right: 1 - epsilon. The model violates the first assertion, and get-value says so: ((> p 0.0) false). The tracker has pull requests 10048 and 10059 of
; July 2026, which repair the objective in such cases; a search by these words found no issue about the model.
(declare-const p Real)
(assert (> p 0.0))
(assert (< p 1.0))
(maximize p)
(check-sat)
