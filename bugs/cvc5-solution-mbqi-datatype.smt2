; title:        cvc5 answers sat to an unsatisfiable script with --mbqi: a datatype over a declared sort invents an element that the sort does not have
; kind:         solution
; question:     check-sat
; evidence:     corroborated
; standing:     option
; solver:       cvc5@1.4.2 --mbqi
; beside:       z3@5.4.0
; command:      cvc5 --mbqi cvc5-solution-mbqi-datatype.smt2
; says:         sat
; should say:   unsat
; affected:     1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: 1.2.0 1.2.1 1.3.0 1.3.1
; found:        by hand, from models of cvc5 that use elements of a declared sort which they do not list; proved by hand, and gainsay's evaluator finds the model invalid
; tracker:      none found; near: cvc5 issue 12342 (closed; wrong sat of --mbqi, with bit-vectors solved as integers)
;
; The assertion says that every y has c in its field, so that there is one P, and that a and b differ. In cvc5's model c is @U_0, and a and b are (p @U_0) and (p @U_1),
; although the comment before it says that the sort has one element. Tuples and nullable values in place of the datatype show it, too; arrays, sets and
; sequences do not. Without the option cvc5 answers unknown, with --finite-model-find unsat. cvc5 calls --mbqi a regular option. A search of the tracker by these words found wrong answers of
; --mbqi together with other options only (12342).
(set-logic ALL)
(declare-sort U 0)
(declare-datatypes ((P 0)) (((p (u U)))))
(declare-const a P)
(declare-const b P)
(declare-const c U)
(assert (forall ((y P)) (and (= c (u y)) (distinct a b))))
(check-sat)
