; error: 2:1: this pops more levels than are pushed
(pop 1)
