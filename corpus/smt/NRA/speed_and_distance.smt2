; No time at all, if only a time that is too short is none.
(set-logic NRA)
(set-info :status unsat)
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(assert (not (exists ((t Real)) (=> (and (= (/ a t) b) (<= 0.0 c)) (< (* b t) (/ c a))))))
(assert (< 0.0 (* a b)))
(check-sat)
