; Integer and real functions that only cvc5 has.
(theory CVC5_Arithmetic
  :sorts ((Int 0) (Real 0))
  :funs (
    ; the bits of two integers modulo two to the k: with k an index, and with k a term
    ((_ iand k) Int Int Int :where (> k 0))
    (piand Int Int Int Int)
    (int.pow2 Int Int)
    (int.log2 Int Int)
    ; zero where the divisor is zero
    (div_total Int Int Int)
    (mod_total Int Int Int)
    (/_total Real Real Real)
    ; transcendental functions; exp, sin, cos and tan are in the common extensions
    (real.pi Real)
    (sqrt Real Real)
    (csc Real Real)
    (sec Real Real)
    (cot Real Real)
    (arcsin Real Real)
    (arccos Real Real)
    (arctan Real Real)
    (arccsc Real Real)
    (arcsec Real Real)
    (arccot Real Real)))
