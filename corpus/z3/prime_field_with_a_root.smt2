; Four has a square root in the field of seven elements.
(set-logic ALL)
(set-info :status sat)
(declare-const x (_ FiniteField 7))
(declare-const y (_ FiniteField 7))
(assert (= (ff.mul x x) (as ff4 (_ FiniteField 7))))
(assert (= (ff.bitsum x y) (as ff1 (_ FiniteField 7))))
(check-sat)
