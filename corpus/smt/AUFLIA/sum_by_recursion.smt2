; A sum over an array, unrolled by its axiom.
(set-logic AUFLIA)
(set-info :status unsat)
(declare-fun sum ((Array Int Int) Int) Int)
(declare-const a (Array Int Int))
(assert (forall ((b (Array Int Int))) (! (= (sum b 0) 0) :pattern ((sum b 0)))))
(assert (forall ((b (Array Int Int)) (n Int)) (! (=> (> n 0) (= (sum b n) (+ (select b (- n 1)) (sum b (- n 1))))) :pattern ((sum b n)))))
(assert (= (sum (store (store a 0 4) 1 5) 2) 8))
(check-sat)
