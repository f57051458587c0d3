; Words of a pattern have lengths of a pattern.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const s String)
(assert (str.in_re s (re.* (str.to_re "abc"))))
(assert (= (mod (str.len s) 3) 1))
(assert (< (str.len s) 12))
(check-sat)
