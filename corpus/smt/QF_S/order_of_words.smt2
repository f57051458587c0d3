; The lexicographic order, and a word between two others.
(set-logic QF_S)
(set-info :status sat)
(declare-const s String)
(declare-const t String)
(assert (str.< "a" s))
(assert (str.<= s "b"))
(assert (not (str.<= t s)))
(check-sat)
