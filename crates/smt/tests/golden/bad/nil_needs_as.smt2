; error: 3:12: nil is ambiguous or incomplete here; say (as nil SORT), or check its indices
(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (h T) (t (L T)))))))
(assert (= nil nil))
