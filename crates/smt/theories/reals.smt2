; Real arithmetic. Division by zero is total, of unspecified value.
; Only z3 accepts these operators with one argument, except for -.
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
