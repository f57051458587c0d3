; title:        yices crashes when it prints the model of an array of arrays in logics with nonlinear arithmetic
; kind:         crash
; evidence:     proved
; solver:       yices@2.6.5
; beside:       nobody
; command:      yices-smt2 --smt2-model-format yices-crash-mcsat-nested-arrays.smt2
; says:         sat, then a segmentation fault
; should say:   sat, with a model
; affected:     2.6.5
; not affected: none that was asked
; found:        strategies generative, operator, subterm and value in a chain from corpus/smt/QF_ALIA/array_of_arrays.smt2 (case 785), reduced from 381 bytes
;
; The answer is printed, and then get-model ends with signal 11, with and without --smt2-model-format. Without get-model nothing is
; wrong with it. In QF_ALIA, where another engine is used, it prints a model.
(set-logic QF_ANIA)
(declare-const m (Array Int (Array Int Int)))
(declare-const j Int)
(assert (= (select (select (store m 0 (store (select m 0) j 1)) j) j) 0))
(check-sat)
(get-model)
