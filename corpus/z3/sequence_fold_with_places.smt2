; A fold that weighs each element by its place.
(set-logic ALL)
(set-info :status unsat)
(declare-const s (Seq Int))
(assert (= s (seq.++ (seq.unit 3) (seq.unit 4))))
(assert (distinct (seq.foldli (lambda ((i Int) (sum Int) (y Int)) (+ sum (* i y))) 1 0 s) 11))
(check-sat)
