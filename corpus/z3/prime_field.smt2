; A square in the field of five elements.
(set-logic ALL)
(set-info :status unsat)
(declare-const x (_ FiniteField 5))
(declare-const y (_ FiniteField 5))
(assert (= (ff.mul x x) (ff.add (as ff2 (_ FiniteField 5)) (ff.neg y) y)))
(check-sat)
