; z3 extensions of bit vectors and floating point.
(theory Z3_Bits
  :sorts ()
  :funs (
    (bit0 (_ BitVec 1))
    (bit1 (_ BitVec 1))
    ((_ bit2bool i) (_ BitVec m) Bool :where (< i m))
    ; a vector of its bits, as many as there are arguments
    (mkbv :opaque)
    (ext_rotate_left (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (ext_rotate_right (_ BitVec m) (_ BitVec m) (_ BitVec m))
    ; no overflow, no underflow
    (bvumul_noovfl (_ BitVec m) (_ BitVec m) Bool)
    (bvsmul_noovfl (_ BitVec m) (_ BitVec m) Bool)
    (bvsmul_noudfl (_ BitVec m) (_ BitVec m) Bool)
    ; division whose divisor is taken not to be zero, and the value where it is
    (bvsdiv_i (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvudiv_i (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvsrem_i (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvurem_i (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvsmod_i (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvsdiv0 (_ BitVec m) (_ BitVec m))
    (bvudiv0 (_ BitVec m) (_ BitVec m))
    (bvsrem0 (_ BitVec m) (_ BitVec m))
    (bvurem0 (_ BitVec m) (_ BitVec m))
    (bvsmod0 (_ BitVec m) (_ BitVec m))
    ; floating point: more ways in, and the bits themselves
    ((_ to_fp eb sb) (_ BitVec 1) (_ BitVec eb) (_ BitVec i) (_ FloatingPoint eb (+ i 1)) :where (and (> eb 1) (> i 0)))
    ((_ to_fp eb sb) RoundingMode Int (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ to_fp eb sb) RoundingMode Real Int (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ to_fp eb sb) RoundingMode Int Real (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    (fp.to_ieee_bv (_ FloatingPoint eb sb) (_ BitVec (+ eb sb)))
    (fp.to_ieee_bv_I (_ FloatingPoint eb sb) (_ BitVec (+ eb sb)))
    (fp.min_i (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.max_i (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    ((_ fp.to_ubv_I m) RoundingMode (_ FloatingPoint eb sb) (_ BitVec m) :where (> m 0))
    ((_ fp.to_sbv_I m) RoundingMode (_ FloatingPoint eb sb) (_ BitVec m) :where (> m 0))
    (fp.to_real_I (_ FloatingPoint eb sb) Real))
  :synonyms (
    (to_ieee_bv fp.to_ieee_bv)
    (bv2int ubv_to_int)))
