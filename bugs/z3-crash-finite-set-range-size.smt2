; title:        z3 crashes on a finite set within a range up to its own size
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     extension
; solver:       z3@5.4.0
; beside:       no other solver
; command:      z3 z3-crash-finite-set-range-size.smt2
; says:         nothing, segmentation fault in theory_finite_set_size::initialize_solver
; should say:   sat
; affected:     5.0.0 5.1.0 5.3.0 5.3.1 5.3.2 5.3.3 5.4.0
; not affected: none that was tested
; found:        small scope on the seeds of corpus/z3, strategy generative; reduced by gainsay
; tracker:      none found
;
; The script is satisfiable: s is the singleton of 1. z3-crash-finite-set-size.smt2 crashes in another function, theory_finite_set::final_check_eh. Releases before 5.0.0
; have no finite sets.
(declare-const s (FiniteSet Int))
(assert (set.subset s (set.range 0 (set.size s))))
(assert (= (set.intersect s (set.range (- 2) 2)) (set.singleton 1)))
(check-sat)
