; error: 2:12: a function is applied to one argument or more
(assert (= (@ 1) 1))
