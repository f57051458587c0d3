; cvc5 extensions of bit vectors, floating point and arrays.
(theory CVC5_Bits
  :sorts ()
  :funs (
    (bvite (_ BitVec 1) (_ BitVec m) (_ BitVec m) (_ BitVec m))
    ; to_fp with its rank in the name
    ((_ to_fp_bv eb sb) (_ BitVec m) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1) (= m (+ eb sb))))
    ((_ to_fp_fp eb sb) RoundingMode (_ FloatingPoint mb nb) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ to_fp_real eb sb) RoundingMode Real (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ to_fp_signed eb sb) RoundingMode (_ BitVec m) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ; two arrays agree between two indices, which cvc5 wants to be numbers, bit vectors or floating point
    (par (X Y) (eqrange (Array X Y) (Array X Y) X X Bool))))
