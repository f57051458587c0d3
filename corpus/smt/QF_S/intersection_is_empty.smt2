; An even and an odd number of the same letter.
(set-logic QF_S)
(set-info :status unsat)
(declare-const s String)
(assert (str.in_re s (re.inter ((_ re.loop 0 3) (str.to_re "aa")) (re.++ (str.to_re "a") (re.opt ((_ re.^ 2) (str.to_re "a")))))))
(check-sat)
