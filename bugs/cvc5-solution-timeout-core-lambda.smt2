; title:        cvc5 answers sat to contradictory assertions about a lambda when it is asked for a timeout core
; kind:         solution
; question:     core
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-solution-timeout-core-lambda.smt2
; says:         sat
; should say:   unsat, and a core; or unknown
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tried
; found:        question core, strategies value, operator and generative, from corpus/cvc5/table_join.smt2, in a campaign of cvc5 alone; made smaller by hand; proved by exhaustion: all 4 assignments were evaluated
; tracker:      none found; near: cvc5 pull request 10198 (open; timeout cores, without such a script)
;
; f is true at true and false at false, so it is the lambda. To (check-sat) in the place of the last command cvc5 answers unsat. The same with set.map, set.filter, set.all, bag.map and bag.filter of a lambda;
; with a declared function in the place of the lambda the answer is unsat. cvc5's documentation calls the command experimental.
(set-option :produce-unsat-cores true)
(set-logic HO_ALL)
(declare-fun f (Bool) Bool)
(assert (distinct f (lambda ((x Bool)) x)))
(assert (f true))
(assert (not (f false)))
(get-timeout-core)
