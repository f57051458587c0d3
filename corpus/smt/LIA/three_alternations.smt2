; For every x some y above every z that is below x.
(set-logic LIA)
(set-info :status sat)
(assert (forall ((x Int)) (exists ((y Int)) (forall ((z Int)) (=> (< z (+ x 3)) (<= z y))))))
(check-sat)
