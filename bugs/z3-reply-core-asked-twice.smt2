; title:        z3 returns an empty unsat core when it is asked for the core a second time and cores are minimized
; kind:         reply
; question:     core
; evidence:     proved
; standing:     option
; solver:       z3@5.4.0
; beside:       cvc5@1.4.2
; command:      z3 z3-reply-core-asked-twice.smt2
; says:         unsat, (b a), ()
; should say:   unsat, and twice a core that is unsatisfiable
; affected:     4.8.7 4.8.10 4.12.2 4.13.0 4.16.0 5.4.0
; not affected: none that was tested
; found:        question core, strategy generate, from a seed of corpus/smt, reduced by hand from 600 bytes
; tracker:      none found
;
; The first core is right. The second one is empty, which says that nothing at all is contradictory. Without the option both cores
; are (b a).
(set-option :produce-unsat-cores true)
(set-option :smt.core.minimize true)
(declare-const x Int)
(declare-const y Int)
(assert (! (> x y) :named a))
(assert (! (< x y) :named b))
(check-sat)
(get-unsat-core)
(get-unsat-core)
