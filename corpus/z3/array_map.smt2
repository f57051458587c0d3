; Two arrays added place by place.
(set-logic ALL)
(set-info :status unsat)
(declare-const a (Array Int (_ BitVec 3)))
(declare-const b (Array Int (_ BitVec 3)))
(declare-const i Int)
(assert (= ((_ map (bvadd ((_ BitVec 3) (_ BitVec 3)) (_ BitVec 3))) a b) a))
(assert (distinct (select b i) #b000))
(check-sat)
