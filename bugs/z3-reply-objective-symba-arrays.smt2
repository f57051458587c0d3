; title:        z3 says that a bounded objective is unbounded, with opt.optsmt_engine=symba and arrays
; kind:         reply
; question:     objective
; evidence:     corroborated
; standing:     option
; solver:       z3@5.4.0
; beside:       cvc5@1.4.2
; command:      z3 z3-reply-objective-symba-arrays.smt2
; says:         sat, (objectives (x oo))
; should say:   sat, (objectives (x 6))
; affected:     4.16.0 5.0.0 5.4.0
; not affected: 4.8.10 4.12.2 4.13.0
; found:        question objective, strategies generative and operator, from a seed of corpus/smt, reduced by hand from 375 bytes
; tracker:      none found; near: z3 issue 4853 (closed; symba, an invalid model with strict bounds)
;
; The constant x is 5, or 6 if i is 0: the second store overwrites the first one then. z3 says that x has no upper bound. Without the
; option it says 6. To the same script with (> x 1000000) asserted, z3 and cvc5 say unsat.
; It does not need arrays: (maximize (* 1 (sbv_to_int b))) over a vector b is called unbounded, too, since 4.15.8 (4.15.4 is right).
(set-option :opt.optsmt_engine symba)
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const x Int)
(assert (= x (select (store (store a i 5) (+ i i) 6) i)))
(maximize x)
(check-sat)
(get-objectives)
