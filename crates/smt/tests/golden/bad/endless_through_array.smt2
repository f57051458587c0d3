; error: 2:19: the datatype T has no finite value
(declare-datatype T ((c (g (Array Int T)))))
