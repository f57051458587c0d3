; z3's finite sets (as of 5.4), over a sort of their own.
(theory Z3_Finite_Sets
  :sorts ((FiniteSet 1))
  :funs (
    (par (A) (set.empty (FiniteSet A)))
    (par (A) (set.singleton A (FiniteSet A)))
    (par (A) (set.union (FiniteSet A) (FiniteSet A) (FiniteSet A) :left-assoc))
    (par (A) (set.intersect (FiniteSet A) (FiniteSet A) (FiniteSet A) :left-assoc))
    (par (A) (set.difference (FiniteSet A) (FiniteSet A) (FiniteSet A)))
    (par (A) (set.in A (FiniteSet A) Bool))
    (par (A) (set.size (FiniteSet A) Int))
    (par (A) (set.subset (FiniteSet A) (FiniteSet A) Bool))
    (par (A B) (set.map (Array A B) (FiniteSet A) (FiniteSet B)))
    (par (A) (set.filter (Array A Bool) (FiniteSet A) (FiniteSet A)))
    (set.range Int Int (FiniteSet Int))
    (par (A) (set.diff (FiniteSet A) (FiniteSet A) A))
    (par (A B) (set.map.inverse (Array A B) B (FiniteSet A) A))))
