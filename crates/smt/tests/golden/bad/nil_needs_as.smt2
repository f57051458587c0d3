; error: 3:12: the sort (L ?) of this argument is not decided; say (as NAME SORT)
(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (h T) (t (L T)))))))
(assert (= nil nil))
