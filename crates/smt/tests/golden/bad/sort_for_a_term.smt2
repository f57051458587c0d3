; error: 3:12: unknown function or constant (_ BitVec 8)
(declare-const x Int)
(assert (= (_ BitVec 8) x))
