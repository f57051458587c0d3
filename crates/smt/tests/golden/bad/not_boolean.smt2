; error: 2:9: the term of assert is of sort Int, expected Bool
(assert 1)
