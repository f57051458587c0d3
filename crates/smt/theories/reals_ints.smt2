; The operators that mix integers and reals, beyond Ints and Reals.
; The coercion of integers to reals is built into the sort checker.
(theory Reals_Ints
  :sorts ((Int 0) (Real 0))
  :funs (
    (to_real Int Real)
    (to_int Real Int)
    (is_int Real Bool)))
