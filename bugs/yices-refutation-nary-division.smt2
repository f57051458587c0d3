; title:        yices reads (/ x y z) as x divided by the product of y and z, which it is not where one of them is zero
; kind:         refutation
; evidence:     proved
; solver:       yices@2.6.5
; beside:       z3@5.4.0
; command:      yices-smt2 yices-refutation-nary-division.smt2
; says:         unsat
; should say:   sat
; affected:     2.6.5
; not affected: none that was asked
; found:        strategy generate from corpus/smt/QF_NRA/product_of_quotients.smt2, which gives it nothing but its theories; reduced by triage while the campaign ran, then by hand
;
; / associates to the left, so (/ 0.0 0.0 0.0) is (/ (/ 0.0 0.0) 0.0). What a number divided by zero is, a model may choose: with
; 0/0 = 1 and 1/0 = 2 the two terms differ. Yices says that they never do. Likewise it calls (distinct (/ 1.0 a b) (/ 1.0 (* a b)))
; unsatisfiable, where a = 0 and b = 2 will do, and (distinct (/ 1.0 a b) (/ (/ 1.0 a) b)) satisfiable, where both are the same
; term. With two arguments it takes division by zero for open, as it should.
(set-logic QF_NRA)
(assert (distinct (/ 0.0 0.0) (/ 0.0 0.0 0.0)))
(check-sat)
