; Two of the weights 2, 3 and 4 sum up to 7, and the third stays out.
(set-logic ALL)
(set-info :status unsat)
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert ((_ pbeq 7 2 3 4) p q r))
(assert ((_ pbge 2 1 1) p (not r)))
(check-sat)
