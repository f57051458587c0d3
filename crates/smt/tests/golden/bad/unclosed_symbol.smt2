; error: 2:16: this quoted symbol is not closed by |
(declare-const |a Int)
