; Functional arrays with extensionality.
(theory ArraysEx
  :sorts ((Array 2))
  :funs (
    (par (X Y) (select (Array X Y) X Y))
    (par (X Y) (store (Array X Y) X Y (Array X Y)))))
