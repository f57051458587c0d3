; The empty language, all words, and any letter.
(set-logic QF_S)
(set-info :status sat)
(declare-const s String)
(assert (str.in_re s (re.union re.none (re.++ re.allchar re.allchar (re.* re.none)))))
(assert (not (str.in_re s (re.comp re.all))))
(assert (str.in_re s (re.comp (re.++ re.all (re.range "a" "y") re.all))))
(assert (distinct s "zz"))
(check-sat)
