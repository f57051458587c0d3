; title:        z3 aborts on bvsmulo if it solves bit-vectors by integers
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     option
; solver:       z3@5.4.0 smt.bv.solver=2
; beside:       no other solver
; command:      z3 smt.bv.solver=2 z3-crash-intblast-bvsmulo.smt2
; says:         nothing, "ASSERTION VIOLATION … NOT IMPLEMENTED YET!" in bv2int_translator.cpp, exit code 107
; should say:   sat
; affected:     4.13.4 4.14.0 4.14.1 4.15.0 4.15.1 4.15.3 4.15.4 4.15.8 4.16.0 5.0.0 5.1.0 5.3.0 5.4.0
; not affected: 4.13.0 4.13.1 4.13.2 4.13.3
; found:        77 sets of options of z3 on 220 generated scripts; reduced by gainsay from 288 bytes
; tracker:      none found; near: z3 issue 10108 (closed; another assertion of this translation)
;
; The translation of bit-vectors to integers lacks this operator of the standard (version 2.7), which ends the whole process. The other operators of overflow are
; translated. Without the option z3 answers sat: -1 times -1 is 1, which one bit cannot hold. The equation over integers keeps z3 from choosing a solver that ignores the
; option. z3's help says that the option needs sat.smt=true; with it, z3 aborts in the same place. Issue 10108 is another assertion of this translation.
(declare-const a Int)
(declare-const b (_ BitVec 1))
(assert (and (bvsmulo b b) (= 0 a)))
(check-sat)
