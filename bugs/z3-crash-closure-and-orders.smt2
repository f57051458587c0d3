; title:        z3 dies of a transitive closure beside a partial and a linear order over an enumeration
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-closure-and-orders.smt2
; says:         nothing, a segmentation fault
; should say:   sat
; affected:     5.3.2 5.4.0
; not affected: 4.8.5 4.8.7 4.8.10 4.12.1 4.12.2 4.12.3 4.12.4 4.12.6 4.13.3 4.15.0 4.15.3 4.15.4 4.15.8 5.3.0 5.3.1, which reject the closure in logic ALL
; found:        gainsay generate --theory order --scope small, reduced by gainsay; exhaustion finds the script satisfiable
; tracker:      none found; near: z3 issue 6661 (closed; segfault of an ill-formed closure)
;
; z3 ends with signal 11, with and without a request for a model. A model has f true nowhere, so that nothing reaches a, and an order in
; which a comes before e: then the term is c, which is not e if e is a.
(set-logic ALL)
(declare-datatypes ((U 0)) (((a) (b) (c))))
(declare-const d U)
(declare-const e U)
(declare-fun f (U U) Bool)
(assert (not (= (ite ((_ transitive-closure f) e a) (ite ((_ partial-order 0) d d) e c) (ite ((_ linear-order 0) a e) c e)) e)))
(check-sat)
