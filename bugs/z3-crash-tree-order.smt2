; title:        z3 violates an assertion when it builds a model of a tree order over an enumeration
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-tree-order.smt2
; says:         nothing, a violated assertion in theory_special_relations.cpp
; should say:   sat
; affected:     4.15.8 4.16.0 5.0.0 5.1.0 5.3.0 5.4.0
; not affected: 4.8.7 4.8.10 4.8.17 4.12.1 4.13.0 4.14.0 4.15.0 4.15.4
; found:        a campaign of z3 alone in small scope on corpus/z3/tree_order.smt2 (operator), reduced by gainsay
; tracker:      none found; near: z3 issue 5020 (closed; another assertion about tree orders, in ensure_tree)
;
; z3 ends with "Failed to verify: g.add_strict_edge(src1, src2, literal_vector())". The script before reduction, with three values and a counting constraint, also violates the assertion
; of 4.8.10. Over a declared sort in the place of the enumeration z3 answers sat.
(declare-datatypes ((U 0)) (((a) (d))))
(declare-const b U)
(declare-const c U)
(assert ((_ tree-order 0) a c))
(assert (or ((_ tree-order 0) d c) ((_ tree-order 0) c b)))
(check-sat)
