; Comments between the parts of a command belong to nobody, and swallow nothing when printed.
; logic: ALL
(set-option :global-declarations ; c
 true)
(push)
(declare-const x Int)
(pop)
(assert (= x 1))
(assert-soft true :weight 1 ; d
)
(set-info :source |a| ; e
)
(exit) after this (nobody reads
