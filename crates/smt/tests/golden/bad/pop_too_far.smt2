; error: 2:1: pop without a push before it
(pop 1)
