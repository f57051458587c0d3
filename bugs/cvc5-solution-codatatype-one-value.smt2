; title:        cvc5 says that a co-datatype with one value has two, in a logic without quantifiers
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-solution-codatatype-one-value.smt2
; says:         sat
; should say:   unsat
; affected:     1.2.0 1.4.2
; not affected: none that was tested
; found:        gainsay generate --theory codatatype --scope small, reduced by hand; proved by exhaustion
; tracker:      none found; near: cvc5 issue 4393 (open; a model check fails for a codatatype with many values)
;
; The only value is (more (more (more ...))). The same if the constructor has two fields. In the logic ALL, cvc5 says unsat. The tracker knows wrong models of co-datatypes (cvc5 issue 4393), but not this one.
(set-logic QF_DT)
(declare-codatatypes ((S 0)) (((more (rest S)))))
(declare-const x S)
(declare-const y S)
(assert (distinct x y))
(check-sat)
