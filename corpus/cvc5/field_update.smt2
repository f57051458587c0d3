; A record with one field changed.
(set-logic ALL)
(set-info :status unsat)
(declare-datatype Pair ((pair (first Int) (second Bool))))
(declare-const p Pair)
(assert (distinct (second ((_ update first) p (+ 1 (first p)))) (second p)))
(check-sat)
