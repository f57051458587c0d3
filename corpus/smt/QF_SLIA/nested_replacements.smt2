; A replacement inside the pattern of another, which makes the word no longer.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (= (str.replace (str.replace x "a" y) y "b") (str.++ "b" x)))
(assert (= (str.len y) (ite (str.prefixof y x) 1 2)))
(assert (<= (str.len x) 3))
(check-sat)
