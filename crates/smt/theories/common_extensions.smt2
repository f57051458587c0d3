; Extensions that both z3 and cvc5 have.
(theory Common_Extensions
  :sorts ()
  :funs (
    ; the array that holds one value everywhere, written (as const (Array X Y)); cvc5 wants a literal value
    (par (X Y) (const Y (Array X Y)))
    ; arithmetic
    (abs Real Real)
    (to_real Real Real)
    (^ Int Int Int)
    (^ Real Real Real)
    (exp Real Real)
    (sin Real Real)
    (cos Real Real)
    (tan Real Real)
    ; bit vectors: or and and over all bits, into one bit
    (bvredor (_ BitVec m) (_ BitVec 1))
    (bvredand (_ BitVec m) (_ BitVec 1)))
  :synonyms (
    (bv2nat ubv_to_int)
    (int2bv int_to_bv)))
