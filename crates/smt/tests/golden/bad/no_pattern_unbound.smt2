; error: 3:49: unknown function or constant q
(declare-fun p (Int) Bool)
(assert (forall ((z Int)) (! (p z) :no-pattern (q z))))
