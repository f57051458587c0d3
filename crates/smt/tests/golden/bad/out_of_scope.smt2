; error: 2:36: unknown function or constant x
(assert (and (forall ((x Bool)) x) x))
