; error: 3:16: lf cannot be applied to Int
(declare-datatypes ((Ei 2)) ((par (X Y) ((lf (gl X)) (rt (gr Y))))))
(assert (= (gl (lf 1)) 1))
