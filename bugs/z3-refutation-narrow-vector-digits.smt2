; title:        z3 says that no vector of one to three bits has a decimal number as its word
; kind:         refutation
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-refutation-narrow-vector-digits.smt2
; says:         unsat
; should say:   sat
; affected:     4.8.17 4.12.1 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.15.8 4.16.0 5.0.0 5.1.0 5.3.0 5.4.0
; not affected: none that was tried; 4.8.11 does not have str.from_ubv
; found:        a campaign of z3 alone in small scope on corpus/z3/word_of_a_vector.smt2 (operator, value, subterm), reduced by hand; proved by exhaustion: this assignment satisfies it
; tracker:      none found
;
; The assignment is #b1, whose decimal number is the word "1". z3 also answers unsat to (distinct (str.from_ubv a) "") and to a length of 1, for widths 1 to 3; with four bits it answers
; correctly. So does (str.from_ubv #b1) alone: z3 simplifies it to "1".
(declare-const a (_ BitVec 1))
(assert (= (str.from_ubv a) "1"))
(check-sat)
