; Equal residues give equal values.
(set-logic QF_UFLIA)
(set-info :status unsat)
(declare-fun g (Int) Int)
(declare-const x Int)
(declare-const y Int)
(assert (= x (+ y 12)))
(assert (< (g (mod x 4)) (g (mod y 4))))
(check-sat)
