; A word of two letters that differs from its reversal only in case.
(set-logic ALL)
(set-info :status sat)
(declare-const s String)
(assert (= (str.to_lower s) (str.to_lower (str.rev s))))
(assert (= (str.len s) 2))
(assert (distinct s (str.rev s)))
(check-sat)
