; title:        z3 says that a record of a rounding mode differs from those of all five
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       z3@5.4.0
; beside:       cvc5@1.4.2
; command:      z3 z3-solution-datatype-rounding-mode.smt2
; says:         sat
; should say:   unsat
; affected:     5.3.0 5.4.0
; not affected: 4.16.0, 5.0.0 and 5.1.0 do not answer within ten seconds
; found:        by hand, among small scripts whose answers exhaustion gives; proved by exhaustion: all 5 assignments were evaluated
; tracker:      none found
;
; The value that z3 prints for x is one of the five records. If x is a rounding mode, or if the assertions are about (v x), z3 answers unsat.
; z3 also prints the same record for two constants that differ. Datatypes and floats are theories of the standard.
(declare-datatypes ((M 0)) (((s (v RoundingMode)))))
(declare-const x M)
(assert (distinct x (s RNE)))
(assert (distinct x (s RNA)))
(assert (distinct x (s RTP)))
(assert (distinct x (s RTN)))
(assert (distinct x (s RTZ)))
(check-sat)
