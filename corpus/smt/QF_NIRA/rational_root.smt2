; A square that is two has no small rational root.
(set-logic QF_NIRA)
(set-info :status unsat)
(declare-const p Int)
(declare-const q Int)
(assert (and (<= 1 p 12) (<= 1 q 12)))
(assert (= (* (/ (to_real p) (to_real q)) (/ (to_real p) (to_real q))) 2.0))
(check-sat)
