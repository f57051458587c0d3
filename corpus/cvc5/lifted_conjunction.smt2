; A conjunction of values is missing if one of them is.
(set-logic HO_ALL)
(set-info :status unsat)
(declare-const a (Nullable Bool))
(declare-const b (Nullable Bool))
(assert (nullable.is_null a))
(assert (= ((_ nullable.lift and) a b) (nullable.some false)))
(check-sat)
