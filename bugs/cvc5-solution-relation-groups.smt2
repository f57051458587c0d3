; title:        cvc5 says that pairs of Booleans can form three groups by their first field
; kind:         solution
; question:     check-sat
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-solution-relation-groups.smt2
; says:         sat
; should say:   unsat
; affected:     1.3.0 1.3.1 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested; 1.2.0 does not have the option
; found:        a unit test of gainsay's evaluator for rel.group, beside cvc5; proved by exhaustion: all 16 assignments were evaluated
; tracker:      none found; near: cvc5 pull request 12966 (open; no congruence over rel.group, slow but not wrong)
;
; Tuples are in one group if their first fields are equal, so there are at most two groups. In cvc5's model r is one tuple, and its own value of the groups is a set of one
; group, whose size is not 3. The operator needs the option sets-exp.
(set-option :sets-exp true)
(set-logic HO_ALL)
(declare-const r (Relation Bool Bool))
(assert (= (set.card ((_ rel.group 0) r)) 3))
(check-sat)
