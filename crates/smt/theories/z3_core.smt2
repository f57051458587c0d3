; z3's Boolean additions: other names for connectives, counting constraints, special relations, its List datatype.
(theory Z3_Core
  :sorts ((List 1))
  :funs (
    (iff Bool Bool Bool :chainable)
    (implies Bool Bool Bool :right-assoc)
    (par (A) (if Bool A A A))
    ; at most or at least k of the arguments hold
    ((_ at-most k) Bool Bool :variadic)
    ((_ at-least k) Bool Bool :variadic)
    ; weighted sums: the bound first, then one coefficient for each argument
    (pbeq :computed)
    (pble :computed)
    (pbge :computed)
    ; relations with an order built in, told apart by their index
    (par (A) ((_ partial-order k) A A Bool))
    (par (A) ((_ linear-order k) A A Bool))
    (par (A) ((_ tree-order k) A A Bool))
    (par (A) ((_ piecewise-linear-order k) A A Bool))
    (par (A) (partial-order A A Bool))
    (par (A) (linear-order A A Bool))
    (par (A) (tree-order A A Bool))
    (par (A) (piecewise-linear-order A A Bool))
    ; indexed by a function
    (transitive-closure :computed)
    (ac-op :opaque)
    ; built-in lists; z3 also takes nil without its sort
    (par (A) (nil (List A)))
    (par (A) (insert A (List A) (List A)))
    (par (A) (head (List A) A))
    (par (A) (tail (List A) (List A)))))
