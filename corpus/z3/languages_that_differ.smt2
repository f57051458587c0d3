; A word of one of two languages, but not of both, in which a number is written.
(set-logic ALL)
(set-info :status sat)
(declare-const b (_ BitVec 4))
(declare-const w String)
(assert (= w (str.from_ubv b)))
(assert (str.in_re w (re.xor (re.+ (re.range "0" "5")) (re.+ (re.range "3" "9")))))
(assert (= (str.len w) 2))
(check-sat)
