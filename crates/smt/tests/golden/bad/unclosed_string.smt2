; error: 2:11: this string is not closed by "
(assert (="a b))
