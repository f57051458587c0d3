; title:        z3 returns an invalid model in which the exponential of -16 is a square of more than a half
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-model-exponential.smt2
; says:         sat
; should say:   sat, with a model under which the assertion holds; or unknown
; affected:     5.3.0 5.3.1 5.3.2 5.3.3 5.4.0
; not affected: 4.8.5 to 5.1.0 do not know exp
; found:        strategies operator, generative and subterm, from corpus/smt/NRA/quotient_above_zero.smt2, in a campaign of the question elimination; reduced by gainsay from 215 bytes, then by hand
; tracker:      none found; near: z3 pull request 10870 (open; bounds of exp and their proof, without such a script)
;
; In the model z is -16 and x is 4543/8192, about 0.55, while exp(-16) is about 0.0000001. Probably with the same cause z3 gives wrong answers: it says sat to (= (exp x) (+ x 1)) with (> x 1), with 2981 for x, and to (= (exp x) (* 2 x)), with 59873/2 for x.
; Both are unsatisfiable, and cvc5 1.4.2 answers unsat to the first. Other functions that grow or stay below a bound show the same: sat to (= (cosh x) (* 2 x)) with (> x 5), and to (= (* (tanh x) (tanh x)) 0.5) with (> x 1). Small numbers are
; right: z3 knows exp(1) to seven digits.
(set-logic ALL)
(declare-const x Real)
(declare-const z Real)
(assert (= (* x x) (exp z)))
(check-sat)
(get-model)
