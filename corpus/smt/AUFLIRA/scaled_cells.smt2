; Real cells that double from one to the next.
(set-logic AUFLIRA)
(set-info :status unsat)
(declare-const a (Array Int Real))
(declare-const i Int)
(assert (forall ((j Int)) (= (select a (+ j 1)) (* 2.0 (select a j)))))
(assert (> (select a i) 1.0))
(assert (< (select a (+ i 1 1)) 4.0))
(check-sat)
