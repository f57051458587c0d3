; The last letter and the suffix of length one are the same.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const s String)
(assert (distinct (str.at s (- (str.len s) 1)) (str.substr s (- (str.len s) 1) 1)))
(check-sat)
