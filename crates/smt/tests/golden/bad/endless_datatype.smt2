; error: 2:20: the datatype D has no finite value
(declare-datatypes ((D 0)) (((c (s D)))))
