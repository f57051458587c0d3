; A length that adds one for each cell, over natural numbers as a datatype.
(set-logic UFDT)
(set-info :status unsat)
(declare-datatypes ((Nat 0) (Chain 0)) (((zero) (succ (pred Nat))) ((nil) (cons (head Nat) (tail Chain)))))
(declare-fun size (Chain) Nat)
(assert (= (size nil) zero))
(assert (forall ((h Nat) (t Chain)) (! (= (size (cons h t)) (succ (size t))) :pattern ((size (cons h t))))))
(assert (distinct (size (cons zero (cons (succ zero) nil))) (succ (succ zero))))
(check-sat)
