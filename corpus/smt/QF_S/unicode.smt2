; Characters by code point and by escape.
(set-logic QF_S)
(set-info :status unsat)
(declare-const s String)
(assert (= s (str.++ (_ char #xe9) "\u{b5}\u0041")))
(assert (or (= s "\u{e9}\u{b6}A") (not (str.suffixof (_ char #x41) s))))
(check-sat)
