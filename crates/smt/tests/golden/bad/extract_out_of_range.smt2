; error: 2:9: (_ extract 8 0) cannot be applied to (_ BitVec 8)
(assert ((_ extract 8 0) #xff))
