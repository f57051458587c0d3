; Even powers cannot sum below zero.
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const u Real)
(declare-const v Real)
(assert (let ((s (* u u)) (t (* v v)))
  (or (< (+ (* s s) (* t t) (* s t)) 0.0) (and (> s 1.0) (< (* s s) s)))))
(check-sat)
