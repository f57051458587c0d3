; What nobody here knows is carried along: commands, operators, indexed names.
; opaque
; logic: ALL
(declare-const x Int)
(frobnicate :deeply (x "y;)" |z)|) 12)
(assert (= x (int.frobnicate x (let ((strange syntax)) ...))))
(assert (or ((_ zorch 3 (+ Int)) x) (< x 2)))
(assert (forall ((y Int)) (< y (+ 1 ((_ zorch 3) y)))))
(check-sat)
