; title:        z3 answers unsat to a satisfiable system of Horn clauses with arrays
; kind:         refutation
; question:     check-sat
; evidence:     corroborated
; standing:     standard
; solver:       z3@5.4.0
; beside:       z3@4.8.10, cvc5@1.4.2
; command:      z3 z3-refutation-horn-arrays.smt2
; says:         unsat
; should say:   sat
; affected:     4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.16.0 5.4.0
; not affected: 4.8.5 4.8.6 4.8.7 4.8.8 4.8.9 4.8.10 4.8.12 4.8.13 4.8.14 4.8.15 4.8.16 4.9.0 4.10.1 4.11.1 4.11.2 4.12.0 4.12.1 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0
; found:        strategy horn (one rewrite by eq2ineq) from LIA-NonLin-Arrays_159 of CHC-COMP, then reduced from 2066 bytes
; tracker:      none found; near: z3 issue 7554 (closed; wrong unsat with arrays in 4.13.4, needs an option)
;
; A model is b(x, y) := true, inv(x, y) := y >= 0 and (x = 0 implies y = 0): in the third clause x = 0 gives y = F(0) = 0, and the
; last two clauses cannot fire, since inv never holds of a negative y. Releases up to 4.14.0 answer sat, and cvc5 confirms that every
; clause holds under the model that they print. The answer changes with names and the number of arguments, so the cause is probably
; the order in which z3 tries lemmas.
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(declare-fun b (Int Int) Bool)
(assert (forall ((A Int) (B Int)) (=> (= B 1) (b A B))))
(assert (forall ((G Int)) (=> (b 0 0) (b G 0))))
(assert (forall ((C Int) (F (Array Int Int)) (H Int) (J Int)) (=> (and (b C H) (<= 0 J) (= (select F 0) J) (= (select F C) 0)) (inv C J))))
(assert (=> (b 0 0) (inv 0 0)))
(assert (forall ((A Int) (B (Array Int Int)) (C Int) (D Int) (c Int)) (=> (and (inv C A) (>= c C) (> C 1) (not (>= D 0)) (<= A (select B C)) (= (select B C) D)) false)))
(assert (forall ((d Int)) (=> (and (inv 0 d) (not (= d 0))) false)))
(check-sat)
