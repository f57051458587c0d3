; A stream that repeats after two elements.
(set-logic ALL)
(set-info :status sat)
(declare-codatatypes ((Stream 0)) (((cons (head Int) (tail Stream)))))
(declare-const s Stream)
(assert (= s (tail (tail s))))
(assert (distinct (head s) (head (tail s))))
(check-sat)
