; error: 7:9: match looks at a value of a datatype, not of T
(push)
(declare-datatype T ((a)))
(pop)
(declare-sort T 0)
(declare-const t T)
(assert (match t ((z true))))
