; Replacing a word that is not there changes nothing.
(set-logic QF_S)
(set-info :status unsat)
(declare-const s String)
(declare-const t String)
(assert (not (str.contains s "xy")))
(assert (distinct (str.replace s "xy" t) s))
(check-sat)
