; The sum of the positive elements.
(set-option :sets-exp true)
(set-logic HO_ALL)
(set-info :status sat)
(declare-const x Int)
(declare-const s (Set Int))
(assert (= s (set.filter (lambda ((y Int)) (> y 0)) (set.insert x 2 (set.singleton (- 1))))))
(assert (= (set.fold (lambda ((y Int) (sum Int)) (+ y sum)) 0 s) 5))
(check-sat)
