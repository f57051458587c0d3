; Two elements, each one more than before, are not the same two.
(set-logic ALL)
(set-info :status unsat)
(declare-const x Int)
(declare-const s (Seq Int))
(assert (= s (seq.++ (seq.unit x) (seq.unit 2))))
(assert (= s (seq.map (lambda ((y Int)) (+ y 1)) s)))
(check-sat)
