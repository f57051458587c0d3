; title:        z3 says that storing into an array given by a function changes it elsewhere
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-as-array-store.smt2
; says:         sat
; should say:   unsat
; affected:     4.8.7 4.12.1 4.12.2 4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.15.8 4.16.0 5.0.0 5.1.0 5.3.0 5.4.0
; not affected: 4.8.10 4.8.11 4.8.17, which answer unknown
; found:        a campaign of z3 alone in small scope on corpus/z3/function_as_array.smt2 (operator, subterm), which showed an invalid model; reduced by hand; proved by exhaustion: all 18 assignments were evaluated
; tracker:      none found; near: z3 issue 5545 (closed; as-array with sat.euf=true, a constant array)
;
; i and j are the two Booleans, and the array stores another value at j only, so at i it has (f i). z3 answers sat. The same happens over integers and bit vectors, and with
; (select (_ as-array f) i) in the place of (f i). With numerals for i and j it answers correctly.
(declare-fun f (Bool) Bool)
(declare-const i Bool)
(declare-const j Bool)
(assert (distinct i j))
(assert (distinct (f i) (select (store (_ as-array f) j i) i)))
(check-sat)
