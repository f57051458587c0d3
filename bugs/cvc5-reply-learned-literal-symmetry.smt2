; title:        cvc5 learns a literal that does not follow, from the symmetry of an assertion in QF_UF
; kind:         reply
; question:     preprocess
; evidence:     proved
; standing:     experimental
; solver:       cvc5@1.4.2
; beside:       z3@5.4.0
; command:      cvc5 cvc5-reply-learned-literal-symmetry.smt2
; says:         sat, and the learned literal (= a c)
; should say:   sat, and no learned literal
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question preprocess, strategy generative, from corpus/smt/QF_UF/pigeons.smt2; reduced by gainsay from 744 bytes
; tracker:      none found; near: cvc5 pull request 1958 (merged; the symmetry breaker made unsat cores wrong)
;
; The values b = c and a different from c satisfy the assertion. The symmetry breaker of QF_UF, which is on by default, asserts the first disjunct, since a and b can be
; swapped; that keeps satisfiability, but the literal is no consequence. With --no-symmetry-breaker or in the logic ALL cvc5 learns no literal. The documentation of
; cvc5's interface says that learned literals are entailed by the assertions, and calls the command experimental.
(set-option :produce-learned-literals true)
(set-logic QF_UF)
(declare-sort U 0)
(declare-const a U)
(declare-const b U)
(declare-const c U)
(assert (or (= c a) (= c b)))
(check-sat)
(get-learned-literals :input)
