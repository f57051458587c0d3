; error: 2:18: the indices of the sort BitVec are missing or out of range
(declare-const z (_ BitVec 4294967296))
