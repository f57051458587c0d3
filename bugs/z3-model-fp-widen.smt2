; title:        z3 claims that widening a subnormal number by one exponent and one significand bit, and back, changes it
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 model=true z3-model-fp-widen.smt2
; says:         sat
; should say:   unsat
; affected:     4.8.5 4.8.6 4.8.7 4.8.8 4.8.9 4.8.10 4.8.12 4.8.13 4.8.14 4.8.15 4.8.16 4.9.0 4.10.1 4.11.1 4.11.2 4.12.0 4.12.1 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.16.0 5.4.0
; not affected: none that was tested
; found:        comparison of operators with our evaluator on small formats (experiments/operators), reduced by hand
; tracker:      none found; near: z3 issue 2970 (closed; the simplifier, conversion to a smaller format)
;
; Every number of (_ FloatingPoint 2 11) is a number of (_ FloatingPoint 3 12), so converting there and back changes nothing. z3
; answers sat with a subnormal x (releases differ in its value), for which both sides evaluate to the same number.
(set-option :produce-models true)
(declare-const x (_ FloatingPoint 2 11))
(assert (not (= x ((_ to_fp 2 11) RNE ((_ to_fp 3 12) RNE x)))))
(check-sat)
(get-model)
