; error: 3:7: this string is not closed by "
(assert x)
(echo "unclosed)
