; The map sort of the higher-order core. Application, partial application and lambda are the
; checker's own; the sort constructor is written (-> A B C) with its last argument the result.
(theory HO-Core
  :sorts ((-> 2))
  :funs ()
  :notes "-> takes two or more sort arguments and associates to the right: (-> A B C) is (-> A (-> B C)). z3 reads (-> A B) as the array sort (Array A B).")
