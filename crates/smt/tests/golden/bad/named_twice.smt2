; error: 3:9: n is already declared
(assert (! true :named n))
(assert (! false :named n))
