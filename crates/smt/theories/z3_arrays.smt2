; z3's additions to arrays. Its sort (Set X) is (Array X Bool), which here would clash with cvc5's; the set operators
; below are given on the arrays they are about. z3's arrays may have several indices: (Array Int Int Bool).
(theory Z3_Arrays
  :sorts ()
  :funs (
    (par (X Y) (default (Array X Y) Y))
    (par (X Y) (array-ext (Array X Y) (Array X Y) X))
    (par (X Y) ((_ array-ext k) (Array X Y) (Array X Y) X :where (= k 0)))
    ; indexed by a function: ((_ map f) a b), (_ as-array f)
    (map :computed)
    (as-array :computed)
    ; sets as predicates
    (par (X) (union (Array X Bool) (Array X Bool) (Array X Bool) :left-assoc :unary))
    (par (X) (intersection (Array X Bool) (Array X Bool) (Array X Bool) :left-assoc :unary))
    (par (X) (setminus (Array X Bool) (Array X Bool) (Array X Bool)))
    (par (X) (complement (Array X Bool) (Array X Bool)))
    (par (X) (subset (Array X Bool) (Array X Bool) Bool)))
  :notes "z3 takes select and store with as many indices as the array has, reads (-> X Y) and (=> X Y) as (Array X Y), and lets an array be applied like a function.")
