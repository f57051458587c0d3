; What a script that has both integers and reals gains over Ints and Reals together.
; That an integer may stand where a real is wanted is the checker's own rule, not an entry here.
(theory Reals_Ints
  :sorts ((Int 0) (Real 0))
  :funs (
    (to_real Int Real)
    (to_int Real Int)
    (is_int Real Bool)))
