; error: 2:14: and is already declared
(declare-fun and (Bool Bool) Bool)
