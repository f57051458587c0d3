; Doubling keeps no odd element.
(set-option :sets-exp true)
(set-logic HO_ALL)
(set-info :status unsat)
(declare-const x Int)
(assert (set.member 3 (set.map (lambda ((y Int)) (* 2 y)) (set.insert x (set.singleton (+ x 1))))))
(check-sat)
