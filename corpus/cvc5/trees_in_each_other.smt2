; Two co-datatypes that contain each other: a tree that repeats after two constructors of each.
(set-logic ALL)
(set-info :status sat)
(declare-codatatypes ((S 0) (T 0)) (((c (head Bool) (below T))) ((d (back S)) (end))))
(declare-const x S)
(declare-const z T)
(assert (= x (c true (d (c false z)))))
(assert (= z (d x)))
(check-sat)
