; Found by: gainsay perf --target z3@5.4.0 --reference cvc5@1.4.2 --theory string --timeout 1 --go-on (query 64)
; CPU seconds: z3 5.4.0 more than 11.8 (no answer), z3 4.16.0 0.06, z3 4.12.1 more than 12.3 (no answer), cvc5 1.4.2 0.02 (sat)
; Again: gainsay check string-concat.smt2 --solver z3@5.4.0 --solver z3@4.16.0 --solver cvc5@1.4.2 --timeout 20
(declare-const x1 String)
(declare-const x3 String)
(declare-const x4 Int)
(assert (=> (str.in_re x1 re.allchar) (str.prefixof (str.from_int x4) (str.replace x3 x1 x1)) (str.< (str.++ "ab" x3) (str.++ x3 x3 x1))))
(check-sat)
