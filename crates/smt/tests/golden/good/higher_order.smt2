; Functions as values, applied in part and in full.
; logic: ALL
(set-logic HO_ALL)
(declare-fun h (Int Int) Int)
(declare-const k (-> Int (-> Int Int)))
(declare-const u (-> (-> Int Int) Bool))
(assert (u (h 1)))
(assert (u (k 1)))
(assert (= h k))
(assert (= ((k 1) 2) (k 1 2) (@ (h 1) 2)))
(assert (forall ((v (-> Int Int))) (= (v 1) ((lambda ((x Int)) (v x)) 1))))
