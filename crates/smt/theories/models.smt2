; Values that occur only in models and have no other notation.
(theory Models
  :sorts ()
  :funs (
    ; (root-obj polynomial n): the root number n of a polynomial, from below
    (root-obj :opaque)))
