; error: 2:9: unknown function or constant x
(assert x)
