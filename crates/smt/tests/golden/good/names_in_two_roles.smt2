; A script may use the name of an indexed operator for something else, and keep the operator.
; logic: AUFBVDTLIA
(declare-const bv1 Int)
(declare-const extract Int)
(declare-fun repeat (Int) Int)
(declare-fun is (Int) Bool)
(declare-datatype T ((k)))
(declare-const t T)
(assert (= (_ bv1 8) #x01))
(assert (= ((_ extract 0 0) #b1) #b1))
(assert (= ((_ repeat 2) #b1) #b11))
(assert ((_ is k) t))
(assert (is (+ bv1 extract (repeat 1))))
