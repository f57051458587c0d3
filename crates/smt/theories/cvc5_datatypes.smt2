; cvc5's built-in datatypes: tuples, and values that may be missing.
(theory CVC5_Datatypes
  :sorts ((Nullable 1) (UnitTuple 0) (Tuple 1 :variadic) (Relation 0 :variadic) (Table 0 :variadic))
  :funs (
    (tuple :computed)
    (tuple.select :computed)
    (tuple.update :computed)
    (tuple.project :computed)
    (tuple.unit UnitTuple)
    (par (A) (nullable.null (Nullable A)))
    (par (A) (nullable.some A (Nullable A)))
    (par (A) (nullable.val (Nullable A) A))
    (par (A) (nullable.is_null (Nullable A) Bool))
    (par (A) (nullable.is_some (Nullable A) Bool))
    ; of a function and its arguments, or of the operator that is the index
    (nullable.lift :computed))
  :notes "Tuple, Relation and Table take one sort argument or more. (Relation A B) is (Set (Tuple A B)), (Table A B) is (Bag (Tuple A B)).")
