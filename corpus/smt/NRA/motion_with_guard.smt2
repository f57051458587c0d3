; A position after a time that a guard keeps on one side.
(set-logic NRA)
(set-info :status unsat)
(declare-const v Real)
(declare-const s Real)
(declare-const b Real)
(assert (not (=> (and (> b 0.0) (>= v 0.0) (<= (+ s (/ (* v v) (* 2.0 b))) 10.0))
  (forall ((t Real)) (=> (and (>= t 0.0) (>= (- v (* b t)) 0.0)) (<= s 10.0))))))
(check-sat)
