; error: 3:40: c has 1 field(s), the pattern names 2
(declare-datatype D ((c (s Int))))
(define-fun f ((d D)) Bool (match d (((c x y) true))))
