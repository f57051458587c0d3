; A constructor's other arguments say what a bare nil is.
; logic: QF_UFDTLIA
(declare-datatypes ((Lst 1)) ((par (X) ((nil) (cons (hd X) (tl (Lst X)))))))
(declare-const l (Lst Int))
(assert (= l (cons 1 nil)))
(assert (= (cons 1 (cons 2 nil)) l))
(assert (= (hd (cons 1 nil)) 1))
(assert ((_ is nil) nil))
