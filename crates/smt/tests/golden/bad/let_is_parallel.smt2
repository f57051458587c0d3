; error: 2:32: unknown function or constant x
(assert (let ((x true) (y (not x))) y))
