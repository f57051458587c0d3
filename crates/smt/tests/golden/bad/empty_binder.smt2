; error: 2:9: forall binds no variable
(assert (forall () true))
