; Values that occur only in models and have no other notation.
(theory Models
  :sorts ()
  :funs (
    ; ((as set.unique (FiniteSet A)) n k): z3's name for some set of k elements, of which its model says nothing else
    (par (A) (set.unique Int Int (FiniteSet A)))
    ; (root-obj polynomial n): the root number n of a polynomial, from below
    (root-obj :opaque)))
