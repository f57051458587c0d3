; Lengths and places of literals, joined by an unknown.
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (= (str.++ (str.replace "mississippi" "ss" "-") x) "mi-issippi!"))
(assert (= (str.len x) (- (str.len (str.replace "mississippi" "i" x)) 10)))
(assert (= (str.indexof (str.replace "mississippi" "s" "") "s" 0) 2))
(check-sat)
