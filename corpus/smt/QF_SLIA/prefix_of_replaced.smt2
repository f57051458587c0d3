; What replaces the first letter comes first.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const s String)
(declare-const t String)
(assert (= (str.at s 0) "a"))
(assert (not (str.prefixof t (str.replace s "a" t))))
(check-sat)
