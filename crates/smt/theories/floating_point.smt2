; Binary floating point: eb exponent bits, sb significand bits with the hidden one counted.
; z3 accepts at most 63 exponent bits; cvc5 requires at least two significand bits for an fp of non-literals.
(theory FloatingPoint
  :sorts (
    (RoundingMode 0)
    ((_ FloatingPoint eb sb) 0 :where (and (> eb 1) (> sb 1))))
  :sort-synonyms (
    (Float16 (_ FloatingPoint 5 11))
    (Float32 (_ FloatingPoint 8 24))
    (Float64 (_ FloatingPoint 11 53))
    (Float128 (_ FloatingPoint 15 113)))
  :funs (
    ; rounding modes
    (roundNearestTiesToEven RoundingMode)
    (roundNearestTiesToAway RoundingMode)
    (roundTowardPositive RoundingMode)
    (roundTowardNegative RoundingMode)
    (roundTowardZero RoundingMode)
    (RNE RoundingMode)
    (RNA RoundingMode)
    (RTP RoundingMode)
    (RTN RoundingMode)
    (RTZ RoundingMode)
    ; literals: sign, exponent, significand without its hidden bit
    (fp (_ BitVec 1) (_ BitVec eb) (_ BitVec i) (_ FloatingPoint eb (+ i 1)) :where (and (> eb 1) (> i 0)))
    ((_ +oo eb sb) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ -oo eb sb) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ +zero eb sb) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ -zero eb sb) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ NaN eb sb) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ; arithmetic
    (fp.abs (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.neg (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.add RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.sub RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.mul RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.div RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.fma RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.sqrt RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.rem (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.roundToIntegral RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.min (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    (fp.max (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))
    ; comparison; fp.eq is the arithmetic equality, = the identity of values
    (fp.leq (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)
    (fp.lt (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)
    (fp.geq (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)
    (fp.gt (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)
    (fp.eq (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)
    ; classes
    (fp.isNormal (_ FloatingPoint eb sb) Bool)
    (fp.isSubnormal (_ FloatingPoint eb sb) Bool)
    (fp.isZero (_ FloatingPoint eb sb) Bool)
    (fp.isInfinite (_ FloatingPoint eb sb) Bool)
    (fp.isNaN (_ FloatingPoint eb sb) Bool)
    (fp.isNegative (_ FloatingPoint eb sb) Bool)
    (fp.isPositive (_ FloatingPoint eb sb) Bool)
    ; into floating point: the bits themselves, another format, a real, a signed, an unsigned integer
    ((_ to_fp eb sb) (_ BitVec m) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1) (= m (+ eb sb))))
    ((_ to_fp eb sb) RoundingMode (_ FloatingPoint mb nb) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ to_fp eb sb) RoundingMode Real (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ to_fp eb sb) RoundingMode (_ BitVec m) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ((_ to_fp_unsigned eb sb) RoundingMode (_ BitVec m) (_ FloatingPoint eb sb) :where (and (> eb 1) (> sb 1)))
    ; out of floating point
    ((_ fp.to_ubv m) RoundingMode (_ FloatingPoint eb sb) (_ BitVec m) :where (> m 0))
    ((_ fp.to_sbv m) RoundingMode (_ FloatingPoint eb sb) (_ BitVec m) :where (> m 0))
    (fp.to_real (_ FloatingPoint eb sb) Real)))
