; A choice of literals that a replacement makes equal in length.
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const p Bool)
(declare-const w String)
(assert (= w (ite p "banana" "ananas")))
(assert (= (str.len (str.replace w "an" "")) (+ 2 (str.indexof w "n" 2))))
(assert (= (str.replace "banana" "na" "") (str.++ "ba" (str.substr w 4 2))))
(check-sat)
