; error: 2:9: :pattern belongs to the body of a quantifier
(assert (! true :pattern (true)))
