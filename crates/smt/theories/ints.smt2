; Integer arithmetic. div and mod are Euclidean: the remainder is never negative.
; Apart from - it is z3 alone that takes these operators with one argument.
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
