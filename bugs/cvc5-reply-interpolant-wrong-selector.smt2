; title:        cvc5 returns an interpolant that does not imply the conjecture, if a selector is applied to another constructor
; kind:         reply
; question:     interpolant
; evidence:     corroborated
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 --incremental cvc5-reply-interpolant-wrong-selector.smt2
; says:         sat, and the interpolant true
; should say:   sat, and fail: nothing implies the conjecture
; affected:     1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question interpolant, strategy generate in logic QF_DT; reduced by gainsay and by hand
; tracker:      none found; near: cvc5 issues 11332 (closed; interpolant true, no datatypes) and 7925 (closed; wrong synthesis over records)
;
; The standard leaves the value of (c (d false)) open, and cvc5 itself answers sat to (assert (c (d false))). Without --incremental cvc5 says fail. 1.2.0 and 1.2.1 crash
; with a segmentation fault. The same cause makes check-sat wrong: with the option produce-interpolants or produce-abducts, cvc5 1.4.2 answers unsat to (= x (a true)),
; (not (b x)) over these datatypes, and sat with dt-share-sel set to false. So gainsay found it twice, the second time as a disagreement with z3, which is right.
(set-option :produce-interpolants true)
(set-logic QF_DT)
(declare-datatypes ((D 0)) (((a (c Bool)) (d (b Bool)))))
(check-sat)
(get-interpolant m (not (c (d false))))
