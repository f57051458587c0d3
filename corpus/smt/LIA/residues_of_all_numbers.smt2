; Every number leaves a residue below its divisor.
(set-logic LIA)
(set-info :status unsat)
(declare-const d Int)
(assert (= d 4))
(assert (exists ((n Int)) (or (< (mod n 4) 0) (>= (mod (- n) 4) d) (distinct n (+ (* 4 (div n 4)) (mod n 4))))))
(check-sat)
