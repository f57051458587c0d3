; title:        z3 answers sat to an unsatisfiable script with the simplifier bit-blast: a division loses its argument
; kind:         solution
; question:     tactic
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-solution-simplifier-bit-blast.smt2
; says:         sat
; should say:   unsat
; affected:     4.13.0 4.13.1 4.13.2 4.13.3 4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.15.8 4.16.0 5.0.0 5.1.0 5.3.0 5.4.0
; not affected: 4.12.2 answers unknown; 4.8.7 4.8.10 4.8.17 4.12.1 do not have set-simplifier
; found:        every simplifier of z3's help on 240 generated scripts, compared with plain check-sat; reduced by gainsay from 296 bytes, then by hand
; tracker:      none found; near: z3 issue 10239 (closed; the simplifier elim-term-ite loses a constraint)
;
; 0 / 3 and 1 / 3 are 0, and a is 0 or 1. z3's model has a = 3. The simplifier replaces a by its bits in the comparison and leaves it in the division, so that the two
; have nothing to do with each other; bvurem, bvsmod and the other divisions behave in the same way. To (check-sat-using (then bit-blast smt)), which runs the tactic of
; this name, z3 answers unknown. z3's help lists the simplifier without a restriction.
(set-simplifier bit-blast)
(declare-const a (_ BitVec 2))
(assert (bvult a #b10))
(assert (= (bvudiv a #b11) #b01))
(check-sat)
