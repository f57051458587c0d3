; Between two reals there is another.
(set-logic LRA)
(set-info :status unsat)
(assert (not (forall ((x Real) (y Real)) (=> (< x y) (exists ((z Real)) (and (< x z) (< z y)))))))
(check-sat)
