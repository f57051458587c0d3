; title:        yices reads (/ x y z) as (/ x (* y z)), which differs where y or z is zero
; kind:         refutation
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       yices@2.6.5
; beside:       z3@5.4.0
; command:      yices-smt2 yices-refutation-nary-division.smt2
; says:         unsat
; should say:   sat
; affected:     2.6.5
; not affected: none that was tested
; found:        strategy generate from corpus/smt/QF_NRA/product_of_quotients.smt2, which only determines the theories; reduced by triage while the campaign ran, then by hand
; tracker:      none found; near: yices2 issue 311 (closed; asks for n-ary division, its fix brought this rewriting)
;
; / associates to the left, so (/ 0.0 0.0 0.0) is (/ (/ 0.0 0.0) 0.0). A model may choose the result of a division by zero: with
; 0/0 = 1 and 1/0 = 2 the two terms differ. yices claims that they never do. Likewise it calls (distinct (/ 1.0 a b) (/ 1.0 (* a b)))
; unsatisfiable, although a = 0 and b = 2 satisfies it, and (distinct (/ 1.0 a b) (/ (/ 1.0 a) b)) satisfiable, although both are the same
; term. With two arguments it leaves division by zero open, as it should.
(set-logic QF_NRA)
(assert (distinct (/ 0.0 0.0) (/ 0.0 0.0 0.0)))
(check-sat)
