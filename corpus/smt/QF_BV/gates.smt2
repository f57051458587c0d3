; Nand, nor and xnor of one pair, related by De Morgan.
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 9))
(declare-const y (_ BitVec 9))
(assert (or (distinct (bvnand x y) (bvor (bvnot x) (bvnot y)))
            (distinct (bvnor x y) (bvand (bvnot x) (bvnot y)))
            (distinct (bvxnor x y) (bvor (bvand x y) (bvnor x y)))))
(check-sat)
