; error: 5:9: unknown function or constant x
(push 1)
(declare-const x Bool)
(pop 1)
(assert x)
