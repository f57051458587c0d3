; One name, several ranks; a constant of two sorts is told apart by `as`.
; logic: QF_UFLIRA
(declare-fun g (Int) Int)
(declare-fun g (Bool) Int)
(declare-fun g (Int Int) Real)
(declare-const c Int)
(declare-const c Bool)
(assert (= (g 1) (g true)))
(assert (< (g 1 2) 0.5))
(assert (= (as c Int) 1))
