; Found by: gainsay perf --target z3@5.4.0 --reference z3@4.8.5 --reference cvc5@1.4.2 --theory fp --assertions 2 --depth 3 --timeout 2 --rng-seed 13 (query 15)
; CPU seconds: z3 5.4.0 more than 8.0 (no answer), z3 4.16.0 6.1, z3 4.12.1 0.03, z3 4.8.10 0.02, cvc5 1.4.2 0.01 (unsat)
; Again: gainsay check fp-rem.smt2 --solver z3@5.4.0 --solver z3@4.12.1 --solver cvc5@1.4.2 --timeout 20
(declare-const x5 Float32)
(assert (fp.eq (fp.rem x5 x5) (fp #b0 #b11111110 #b11111111111111111111111) x5))
(check-sat)
