; Three points closer to each other than the outer two are apart.
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(assert (<= (+ (abs (- a b)) (abs (- b c))) 10))
(assert (> (abs (- a c)) 10))
(check-sat)
