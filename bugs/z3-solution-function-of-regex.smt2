; title:        z3 gives two values to a function of one regular expression that is written in two ways
; kind:         solution
; question:     check-sat
; evidence:     corroborated
; standing:     standard
; solver:       z3@5.4.0
; beside:       cvc5@1.4.2
; command:      z3 z3-solution-function-of-regex.smt2
; says:         sat
; should say:   unsat
; affected:     4.8.5 4.8.7 4.8.8 4.8.14 4.8.15 4.9.0 4.11.2 4.12.0 4.12.1 4.12.2 4.16.0 5.3.0 5.4.0
; not affected: 4.8.9 4.8.10 4.8.11 4.8.13
; found:        an audit of functions over regular expressions, by hand
; tracker:      none found; near: z3 issue 6729 (closed; equality of regular expressions was a wrong sat), z3 issue 10137 (closed; a wrong unsat with a constant of sort RegLan)
;
; No string is both "a" and "b", so the intersection is re.none, and f has one value there. In z3's model f is 1 at re.none and 0 elsewhere, and the intersection simplifies to re.none.
(declare-fun f (RegLan) Int)
(assert (< (f (re.inter (str.to_re "a") (str.to_re "b"))) (f re.none)))
(check-sat)
