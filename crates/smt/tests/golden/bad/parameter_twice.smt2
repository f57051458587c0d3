; error: 2:13: the parameter x is named twice
(define-fun f ((x Int) (x Int)) Int x)
