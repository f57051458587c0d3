; A chain of quotients with a quantified link.
(set-logic NRA)
(set-info :status unsat)
(declare-const p Real)
(declare-const q Real)
(declare-const r Real)
(assert (forall ((x Real)) (=> (and (<= 0.0 x) (<= x q)) (>= (* p (- q x)) r))))
(assert (and (> p 0.0) (> q 0.0) (> r 0.0) (= (/ r p q) 1.0)))
(check-sat)
