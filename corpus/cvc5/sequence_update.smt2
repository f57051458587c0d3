; An update beyond the end changes nothing.
(set-logic ALL)
(set-info :status unsat)
(declare-const s (Seq Int))
(declare-const i Int)
(assert (>= i (seq.len s)))
(assert (distinct s (seq.update s i (seq.unit 3))))
(check-sat)
