; A small integer survives the way through a float.
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const n (_ BitVec 8))
(assert (distinct ((_ fp.to_ubv 8) RTZ ((_ to_fp_unsigned 8 24) RNE n)) n))
(check-sat)
