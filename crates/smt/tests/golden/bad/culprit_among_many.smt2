; error: 2:21: argument 3 of + is of sort String, expected Int
(assert (= 6 (+ 1 2 "a" 3)))
