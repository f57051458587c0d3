; Every remainder of a division by zero is NaN, and NaN is not negative.
(set-logic FP)
(set-info :status sat)
(assert (forall ((x Float16)) (not (fp.isNegative (fp.rem x (_ -zero 5 11))))))
(check-sat)
