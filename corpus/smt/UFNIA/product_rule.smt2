; A product by an axiom, nested in itself.
(set-logic UFNIA)
(set-info :status unsat)
(declare-fun times (Int Int) Int)
(declare-const n Int)
(assert (forall ((x Int) (y Int)) (! (= (times x y) (* x y)) :pattern ((times x y)))))
(assert (distinct (times 3 (times 4 n)) (* 12 n)))
(check-sat)
