; Booleans, equality and choice: visible in every logic.
; One argument: both solvers accept (and a) and (or a), only z3 (xor a) and (distinct x), neither (=> a) or (= x).
(theory Core
  :sorts ((Bool 0))
  :funs (
    (true Bool)
    (false Bool)
    (not Bool Bool)
    (=> Bool Bool Bool :right-assoc)
    (and Bool Bool Bool :left-assoc :unary)
    (or Bool Bool Bool :left-assoc :unary)
    (xor Bool Bool Bool :left-assoc :unary)
    (par (A) (= A A Bool :chainable))
    (par (A) (distinct A A Bool :pairwise :unary))
    (par (A) (ite Bool A A A))))
