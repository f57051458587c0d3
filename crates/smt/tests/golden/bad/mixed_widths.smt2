; error: 2:16: argument 2 of = is of sort (_ BitVec 2), expected (_ BitVec 1)
(assert (= #b1 #b01))
