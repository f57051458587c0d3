; Prime fields, in cvc5 and, as of 5.4, in z3. The elements are literals, not entries: (as ff3 (_ FiniteField 7))
; and #f3m7. Both solvers require a prime modulus.
(theory Finite_Fields
  :sorts (((_ FiniteField p) 0 :where (prime p)))
  :funs (
    (ff.add (_ FiniteField p) (_ FiniteField p) (_ FiniteField p) :left-assoc)
    (ff.mul (_ FiniteField p) (_ FiniteField p) (_ FiniteField p) :left-assoc)
    (ff.neg (_ FiniteField p) (_ FiniteField p))
    (ff.bitsum (_ FiniteField p) (_ FiniteField p) (_ FiniteField p) :variadic)))
