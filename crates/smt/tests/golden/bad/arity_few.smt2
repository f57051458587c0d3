; error: 2:9: bvult takes 2 arguments, not 1
(assert (bvult #b1))
