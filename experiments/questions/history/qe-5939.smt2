; question: tactic (quantifier elimination)
; affected: z3@4.16.0
; right:    no release that was tested
; issue:    https://github.com/Z3Prover/z3/issues/5939 (qe of mod by a negative number)
(declare-const n Int)
(assert (exists ((k Int)) (= n (mod k (- 3)))))
(check-sat-using qe)
