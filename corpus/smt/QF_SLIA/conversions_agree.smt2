; Codes and decimal values of digits differ by a constant.
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const d String)
(declare-const p Bool)
(assert (= d (ite p "3" "7")))
(assert (distinct (str.to_code d) (+ 48 (str.to_int d))))
(check-sat)
