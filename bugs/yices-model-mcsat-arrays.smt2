; title:        yices returns an invalid model in which two arrays that must differ are equal, in logics with nonlinear arithmetic
; kind:         model
; question:     check-sat
; evidence:     proved
; standing:     standard
; solver:       yices@2.6.5
; beside:       no other solver
; command:      yices-smt2 --smt2-model-format yices-model-mcsat-arrays.smt2
; says:         sat
; should say:   sat, with a model in which a and b differ
; affected:     2.6.5
; not affected: none that was tested
; found:        strategies subterm and generative from seeds of QF_AUFLIA and QF_ALIA (SMT-LIB), made nonlinear by the mutation; reduced from 6404 bytes
; tracker:      none found; near: yices2 issue 621 (closed; unequal arrays in this engine, about wrong sat; its fix tests this shape)
;
; yices prints both arrays as a function that is 0 everywhere, as it does with every function and array in such logics (uninterpreted
; functions in QF_UFNRA, too). In QF_AX and QF_ALIA, where it uses another engine, it prints a correct model of the same script.
(set-logic QF_ANIA)
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(assert (not (= a b)))
(check-sat)
(get-model)
