; error: 2:9: = cannot be applied to (_ BitVec 1) (_ BitVec 2)
(assert (= #b1 #b01))
