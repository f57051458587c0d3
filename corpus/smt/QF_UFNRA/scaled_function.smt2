; An uninterpreted function multiplied by its argument.
(set-logic QF_UFNRA)
(set-info :status sat)
(declare-fun f (Real) Real)
(declare-const x Real)
(assert (= (* x (f x)) 6.0))
(assert (= (f (f x)) (/ (f x) x)))
(assert (> (f x) x 1.0))
(check-sat)
