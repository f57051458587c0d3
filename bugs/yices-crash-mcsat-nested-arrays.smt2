; title:        yices crashes when it prints the model of an array of arrays in logics with nonlinear arithmetic
; kind:         crash
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       yices@2.6.5
; beside:       no other solver
; command:      yices-smt2 --smt2-model-format yices-crash-mcsat-nested-arrays.smt2
; says:         sat, then a segmentation fault
; should say:   sat, with a model
; affected:     2.6.5
; not affected: none that was tested
; found:        by every strategy; first generative after operator, subterm and value from corpus/smt/QF_ALIA/array_of_arrays.smt2 (case 785); this one is reduced from 4472 bytes
; tracker:      yices2 issue 613: the same cause; open in the copy that was read, fixed after 2.7.0 by pull request 614
;
; yices prints the answer and then dies of signal 11 in get-model, with and without --smt2-model-format. In QF_ALIA, where it uses
; another engine, it prints a model. Functions over arrays or over declared sorts crash it in the same way.
(set-logic QF_ANIA)
(declare-const a (Array Int (Array Int Int)))
(assert (> (select (select a 0) 0) 0))
(check-sat)
(get-model)
