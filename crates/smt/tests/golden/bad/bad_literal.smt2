; error: 2:14: a literal that begins with # is #x… or #b… with its digits
(assert (= 1 #b12))
