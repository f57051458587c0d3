; The complement of a union is the intersection of the complements.
(set-logic ALL)
(set-info :status unsat)
(declare-const s (Array Int Bool))
(declare-const t (Array Int Bool))
(assert (not (subset (complement (union s t)) (intersection (complement s) (complement t)))))
(check-sat)
