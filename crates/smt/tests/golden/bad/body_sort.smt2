; error: 2:23: the body is of sort Int, expected Bool
(define-fun f () Bool 1)
