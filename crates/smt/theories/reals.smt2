; Real arithmetic. Division by zero is total, of unspecified value.
; Apart from - it is z3 alone that takes these operators with one argument.
(theory Reals
  :sorts ((Real 0))
  :funs (
    (- Real Real)
    (- Real Real Real :left-assoc)
    (+ Real Real Real :left-assoc :unary)
    (* Real Real Real :left-assoc :unary)
    (/ Real Real Real :left-assoc :unary)
    (<= Real Real Bool :chainable :unary)
    (< Real Real Bool :chainable :unary)
    (>= Real Real Bool :chainable :unary)
    (> Real Real Bool :chainable :unary)))
