; A swap that should have sorted two cells.
(set-logic QF_ALIA)
(set-info :status unsat)
(declare-const a (Array Int Int))
(define-fun sorted () (Array Int Int)
  (ite (> (select a 0) (select a 1)) (store (store a 0 (select a 1)) 1 (select a 0)) a))
(assert (> (select sorted 0) (select sorted 1)))
(check-sat)
