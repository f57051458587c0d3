; Integer arithmetic. div and mod are Euclidean: the remainder is never negative.
; Only z3 accepts these operators with one argument, except for -.
(theory Ints
  :sorts ((Int 0))
  :funs (
    (- Int Int)
    (- Int Int Int :left-assoc)
    (+ Int Int Int :left-assoc :unary)
    (* Int Int Int :left-assoc :unary)
    (div Int Int Int :left-assoc :unary)
    (mod Int Int Int)
    (abs Int Int)
    (<= Int Int Bool :chainable :unary)
    (< Int Int Bool :chainable :unary)
    (>= Int Int Bool :chainable :unary)
    (> Int Int Bool :chainable :unary)
    ; z3 knows it only with smtlib2_compliant=true
    ((_ divisible n) Int Bool :where (> n 0))))
