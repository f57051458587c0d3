; error: 3:9: :qid belongs to the body of a quantifier
(declare-const a Bool)
(assert (! a :qid k))
