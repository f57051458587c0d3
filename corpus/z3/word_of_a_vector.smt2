; The decimal digits of a vector, signed and unsigned.
(set-logic ALL)
(set-info :status sat)
(declare-const a (_ BitVec 4))
(assert (= (str.len (str.from_sbv a)) (str.len (str.from_ubv a)) 2))
(check-sat)
