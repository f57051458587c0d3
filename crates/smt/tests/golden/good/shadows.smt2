; A name can hide another: a parameter a constant, a let a parameter, a variable an operator.
; logic: LIA
(declare-const x Int)
(define-fun f ((x Bool)) Bool (let ((x 1)) (forall ((x Bool)) x)))
(assert (f (> x 0)))
(assert (forall ((+ Int) (let Int)) (= + let)))
(assert (let ((x x)) (< x 2)))
