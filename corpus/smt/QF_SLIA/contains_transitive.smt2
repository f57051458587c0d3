; Containment is transitive.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (str.contains x (str.++ y "c")))
(assert (str.contains y "b"))
(assert (or (not (str.contains x "b")) (< (str.len x) 2)))
(check-sat)
