; Horn clauses in z3's fixedpoint form.
; logic: ALL
(declare-rel reach (Int Int))
(declare-rel bad ())
(declare-var x Int)
(declare-var y Int)
(rule (reach 0 0))
(rule (=> (and (reach x y) (< x 10)) (reach (+ x 1) (- y 1))) step)
(rule (=> (and (reach x y) (> y 0)) bad))
(query bad :print-certificate true)
(query reach)
