; Between two and four repetitions of a word is not fewer than five of its letters.
(set-logic QF_S)
(set-info :status unsat)
(declare-const s String)
(assert (str.in_re s ((_ re.loop 2 4) (str.to_re "ab"))))
(assert (str.in_re s (re.comp (re.+ (re.++ (str.to_re "a") (re.opt (str.to_re "b")))))))
(check-sat)
