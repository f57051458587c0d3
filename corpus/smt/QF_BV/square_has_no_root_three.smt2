; Squares modulo 16 are never 3 modulo 4.
(set-logic QF_BV)
(set-info :status unsat)
(declare-fun x () (_ BitVec 4))
(assert (! (= (bvand (bvmul x x) #x3) #x3) :named goal))
(check-sat)
