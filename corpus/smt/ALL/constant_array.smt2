; An array that is one value everywhere but at two places.
(set-logic ALL)
(set-info :status sat)
(declare-const a (Array Int Int))
(declare-const i Int)
(assert (= a (store (store ((as const (Array Int Int)) 4) i 5) (+ i i) 6)))
(assert (= (select a 10) 6))
(assert (distinct (select a (- i 1)) (select a i)))
(check-sat)
