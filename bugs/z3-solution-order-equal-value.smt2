; title:        z3 says that a value is not below an equal value in an order
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-order-equal-value.smt2
; says:         sat
; should say:   unsat
; affected:     4.8.5 4.8.7 4.8.8 4.8.9 4.8.10 4.8.11 4.8.13 4.8.14 4.8.15 4.9.0 4.11.2 4.12.0 4.12.1 4.12.2 4.16.0 5.3.0 5.4.0
; not affected: none of those tested
; found:        an audit of exhaustion with gainsay generate --theory order --scope small, reduced by hand; proved by exhaustion
; tracker:      none found; near: z3 issue 6654 (closed; tree orders alone were not reflexive; repaired in 2023), z3 issue 6646 (closed; the same of partial orders)
;
; The datatype has one value, so b is a, and orders are reflexive. z3 prints a model in which b is a. It answers sat with tree orders, too, and unsat with partial and linear orders, and if (= b a) is asserted. It is another bug
; than that of tree orders beside partial orders: 4.12.2 is affected by this one alone.
(declare-datatypes ((U 0)) (((a))))
(declare-const b U)
(assert (not ((_ piecewise-linear-order 1) b a)))
(check-sat)
