; Evenness by two functions that call each other.
(set-logic ALL)
(set-info :status unsat)
(define-funs-rec ((even ((k Int)) Bool) (odd ((k Int)) Bool))
  ((ite (<= k 0) (= k 0) (odd (- k 1))) (ite (<= k 0) false (even (- k 1)))))
(assert (odd 4))
(check-sat)
