; Each element plus its place.
(set-logic ALL)
(set-info :status sat)
(declare-const x Int)
(declare-const s (Seq Int))
(assert (= s (seq.++ (seq.unit x) (seq.unit 5))))
(assert (= (seq.mapi (lambda ((i Int) (y Int)) (+ i y)) 1 s) (seq.++ (seq.unit 3) (seq.unit 7))))
(check-sat)
