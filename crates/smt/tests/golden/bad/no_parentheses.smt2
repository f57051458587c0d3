; error: 3:9: an application without arguments; a constant is written without parentheses
(declare-const x Bool)
(assert (x))
