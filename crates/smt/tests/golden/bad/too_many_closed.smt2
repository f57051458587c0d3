; error: 2:14: a closing parenthesis too many
(assert true))
