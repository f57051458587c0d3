; Operators with what gives their arguments back: the bricks of fusion functions. The notation is in README.md.
(version 1)

; Bool
(function xor ((x Bool) (y Bool)) Bool (xor x y)
  :inverse x (xor z y)
  :inverse y (xor z x))

; Int
(function int-add ((x Int) (y Int)) Int (+ x y)
  :inverse x (- z y)
  :inverse y (- z x))
(function int-subtract ((x Int) (y Int)) Int (- x y)
  :inverse x (+ z y)
  :inverse y (- x z))
(function int-multiply ((x Int) (y Int)) Int (* x y)
  :inverse x (div z y) :when (distinct y 0)
  :inverse y (div z x) :when (distinct x 0))

; Real
(function real-add ((x Real) (y Real)) Real (+ x y)
  :inverse x (- z y)
  :inverse y (- z x))

; String
(function string-concat ((x String) (y String)) String (str.++ x y)
  :inverse x (str.substr z 0 (str.len x))
  :inverse y (str.substr z (str.len x) (str.len y)))

; BitVec
(par (m) (function bv-add ((x (_ BitVec m)) (y (_ BitVec m))) (_ BitVec m) (bvadd x y)
  :inverse x (bvsub z y)
  :inverse y (bvsub z x)))
(par (m) (function bv-xor ((x (_ BitVec m)) (y (_ BitVec m))) (_ BitVec m) (bvxor x y)
  :inverse x (bvxor z y)
  :inverse y (bvxor z x)))
(par (m n) (function bv-concat ((x (_ BitVec m)) (y (_ BitVec n))) (_ BitVec (+ m n)) (concat x y)
  :inverse x ((_ extract (- (+ m n) 1) n) z)
  :inverse y ((_ extract (- n 1) 0) z)))

; any sort
(par (T) (function choose ((p Bool) (x T) (y T)) T (ite p x y)
  :inverse p (ite (= x y) p (= z x))
  :inverse x (ite p z x)
  :inverse y (ite p y z)))
