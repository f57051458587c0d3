; The sum of two elements from the left.
(set-logic ALL)
(set-info :status sat)
(declare-const x Int)
(declare-const s (Seq Int))
(assert (= s (seq.++ (seq.unit x) (seq.unit (* 2 x)))))
(assert (= (seq.foldl (lambda ((sum Int) (y Int)) (+ sum y)) 1 s) 7))
(check-sat)
