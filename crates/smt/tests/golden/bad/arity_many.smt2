; error: 2:9: not takes 1 argument, not 2
(assert (not true false))
