; title:        z3 says that a value is not below itself in a tree order, if the value is also in a partial order
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-tree-order-reflexive.smt2
; says:         sat
; should say:   unsat
; affected:     4.8.5 4.8.7 4.8.10 4.12.1 4.15.8 5.4.0
; not affected: 4.12.2 4.12.3 4.12.4 4.12.6 4.13.3 4.15.0 4.15.3 4.15.4
; found:        gainsay generate --theory order --scope small, reduced by gainsay and by hand; proved by exhaustion with both readings of tree orders
; tracker:      none found; near: z3 issue 6654 (closed; tree orders alone were not reflexive; repaired in 2023)
;
; Tree orders are reflexive, so the second assertion is false by itself, and z3 answers unsat to it alone. With a point of a partial, linear or piecewise linear order of the same value, over an enumeration, it answers sat. Over a
; declared sort it answers unsat.
(declare-datatypes ((U 0)) (((a) (b))))
(declare-const c U)
(assert ((_ partial-order 0) c b))
(assert (not ((_ tree-order 0) c c)))
(check-sat)
