; error: 2:18: the indices of the sort FiniteField are missing or out of range
(declare-const z (_ FiniteField 6))
