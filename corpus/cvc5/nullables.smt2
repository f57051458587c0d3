; A value that may be missing.
(set-logic ALL)
(set-info :status sat)
(declare-const a (Nullable Int))
(declare-const b (Nullable Int))
(assert (distinct a b (as nullable.null (Nullable Int))))
(assert (= (nullable.val a) (+ 1 (nullable.val b))))
(assert (nullable.is_some a))
(check-sat)
