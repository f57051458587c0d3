; The form before version 2.6, with and without parameters.
; logic: QF_UFDTLIA
(declare-datatypes () ((Nat zero (succ (pred Nat))) (Unit unit)))
(declare-datatypes (T) ((Lst empty (insert (hd T) (tl Lst)))))
(declare-const n Nat)
(declare-const l (Lst Int))
(assert (= n (succ zero)))
(assert (= (hd (tl l)) 1))
