; error: 3:28: match has no case for b
(declare-datatype D ((a) (b)))
(define-fun f ((d D)) Bool (match d ((a true))))
