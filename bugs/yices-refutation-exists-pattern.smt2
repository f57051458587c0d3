; title:        yices answers unsat if an existential quantifier has a pattern
; kind:         refutation
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       yices@2.6.5
; beside:       z3@5.4.0
; command:      yices-smt2 yices-refutation-exists-pattern.smt2
; says:         unsat
; should say:   sat
; affected:     2.6.5
; not affected: none that was tested
; found:        strategy operator, from corpus/smt/UF/injective_function.smt2, exists in the place of forall; reduced by gainsay from 360 bytes, then by hand
; tracker:      none found; near: yices2 issue 315 (closed; a wrong unsat about a declared sort), yices2 issue 327 (closed; a wrong unsat about nested quantifiers)
;
; p holds of b. Without the pattern, which changes no meaning, yices answers sat, and also without the first assertion. It probably takes the quantifier for a universal one, which a pattern
; helps to instantiate.
(set-logic UF)
(declare-sort A 0)
(declare-fun p (A) Bool)
(declare-const a A)
(declare-const b A)
(assert (forall ((y A)) (or (= y a) (= y b))))
(assert (not (p a)))
(assert (exists ((x A)) (! (p x) :pattern ((p x)))))
(check-sat)
