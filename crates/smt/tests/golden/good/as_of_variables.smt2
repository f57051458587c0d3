; `as` of a variable is the variable.
; logic: UFLIA
(declare-const x Int)
(declare-fun h (Int) Int)
(assert (let ((q 1)) (= (as q Int) (h x))))
(assert (forall ((x Bool)) (as x Bool)))
(define-fun g ((q Bool)) Bool (as q Bool))
