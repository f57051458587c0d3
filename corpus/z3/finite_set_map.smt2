; Doubling keeps no odd element.
(set-logic ALL)
(set-info :status unsat)
(declare-const s (FiniteSet Int))
(declare-const x Int)
(assert (= s (set.union (set.singleton x) (set.singleton (+ x 1)))))
(assert (set.in 3 (set.map (lambda ((y Int)) (* 2 y)) s)))
(check-sat)
