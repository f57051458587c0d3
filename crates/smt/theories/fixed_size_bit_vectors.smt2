; Bit vectors of a fixed positive width: everything of version 2.7, overflow predicates and
; conversions to and from the integers included. Bit 0 is the least significant one.
; Both solvers accept concat with more than two arguments, so it is folded from the left here; its result is
; wider than its arguments. Only z3 accepts bvxnor with more than two, and any of them with one.
(theory FixedSizeBitVectors
  :sorts (((_ BitVec m) 0 :where (> m 0)))
  :funs (
    ; building and cutting
    (concat (_ BitVec i) (_ BitVec j) (_ BitVec (+ i j)) :left-assoc :unary)
    ((_ extract i j) (_ BitVec m) (_ BitVec (+ (- i j) 1)) :where (and (< i m) (<= j i)))
    ((_ repeat k) (_ BitVec m) (_ BitVec (* k m)) :where (> k 0))
    ((_ zero_extend k) (_ BitVec m) (_ BitVec (+ m k)))
    ((_ sign_extend k) (_ BitVec m) (_ BitVec (+ m k)))
    ((_ rotate_left k) (_ BitVec m) (_ BitVec m))
    ((_ rotate_right k) (_ BitVec m) (_ BitVec m))
    ; bit by bit
    (bvnot (_ BitVec m) (_ BitVec m))
    (bvand (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc :unary)
    (bvor (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc :unary)
    (bvxor (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc :unary)
    (bvxnor (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc :unary)
    (bvnand (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvnor (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvcomp (_ BitVec m) (_ BitVec m) (_ BitVec 1))
    ; shifts
    (bvshl (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvlshr (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvashr (_ BitVec m) (_ BitVec m) (_ BitVec m))
    ; arithmetic modulo two to the width
    (bvneg (_ BitVec m) (_ BitVec m))
    (bvadd (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc :unary)
    (bvsub (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvmul (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc :unary)
    (bvudiv (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvurem (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvsdiv (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvsrem (_ BitVec m) (_ BitVec m) (_ BitVec m))
    (bvsmod (_ BitVec m) (_ BitVec m) (_ BitVec m))
    ; comparison
    (bvult (_ BitVec m) (_ BitVec m) Bool)
    (bvule (_ BitVec m) (_ BitVec m) Bool)
    (bvugt (_ BitVec m) (_ BitVec m) Bool)
    (bvuge (_ BitVec m) (_ BitVec m) Bool)
    (bvslt (_ BitVec m) (_ BitVec m) Bool)
    (bvsle (_ BitVec m) (_ BitVec m) Bool)
    (bvsgt (_ BitVec m) (_ BitVec m) Bool)
    (bvsge (_ BitVec m) (_ BitVec m) Bool)
    ; does the operation overflow?
    (bvnego (_ BitVec m) Bool)
    (bvuaddo (_ BitVec m) (_ BitVec m) Bool)
    (bvsaddo (_ BitVec m) (_ BitVec m) Bool)
    (bvumulo (_ BitVec m) (_ BitVec m) Bool)
    (bvsmulo (_ BitVec m) (_ BitVec m) Bool)
    (bvusubo (_ BitVec m) (_ BitVec m) Bool)
    (bvssubo (_ BitVec m) (_ BitVec m) Bool)
    (bvsdivo (_ BitVec m) (_ BitVec m) Bool)
    ; to and from the integers
    (ubv_to_int (_ BitVec m) Int)
    (sbv_to_int (_ BitVec m) Int)
    ((_ int_to_bv m) Int (_ BitVec m) :where (> m 0))))
