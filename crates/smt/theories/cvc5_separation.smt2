; cvc5's separation logic (after a declare-heap command) and its cardinality constraints.
(theory CVC5_Separation
  :sorts ()
  :funs (
    (sep.emp Bool)
    (par (L) (sep.nil L))
    (par (L D) (pto L D Bool))
    (sep Bool Bool Bool :left-assoc)
    (wand Bool Bool Bool)
    ; (_ fmf.card U 3): the sort U has at most three elements
    (fmf.card :computed)))
