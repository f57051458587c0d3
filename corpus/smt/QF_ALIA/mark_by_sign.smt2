; A number and its negation have one absolute value, so the mark under true is set and not set.
(set-logic QF_ALIA)
(set-info :status unsat)
(declare-fun i () Int)
(declare-fun marks () (Array Bool Bool))
(push 1)
(assert (select marks (= (abs i) (abs (- i)))))
(assert (not (select marks true)))
(check-sat)
