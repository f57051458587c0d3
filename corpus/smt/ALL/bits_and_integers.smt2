; The signed and the unsigned value differ by a power of two.
(set-logic ALL)
(set-info :status unsat)
(declare-const b (_ BitVec 6))
(assert (distinct (sbv_to_int b) (ubv_to_int b)))
(assert (distinct (- (ubv_to_int b) (sbv_to_int b)) 64))
(check-sat)
