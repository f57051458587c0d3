; There is one stream without elements.
(set-logic ALL)
(set-info :status unsat)
(declare-codatatypes ((Stream 0)) (((more (rest Stream)))))
(declare-const s Stream)
(declare-const t Stream)
(assert (distinct s (rest t)))
(check-sat)
