; A power of two and a bitwise and.
(set-logic ALL)
(set-info :status sat)
(declare-const x Int)
(assert (<= 0 x 5))
(assert (= (int.pow2 x) (+ 7 ((_ iand 4) x 13))))
(check-sat)
