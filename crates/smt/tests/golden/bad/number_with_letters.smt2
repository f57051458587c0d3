; error: 2:9: a number with letters in it; a symbol cannot begin with a digit
(assert 1x)
