; title:        yices gives two arrays that differ the same value in logics with nonlinear arithmetic
; kind:         model
; evidence:     proved
; solver:       yices@2.6.5
; beside:       nobody
; command:      yices-smt2 --smt2-model-format yices-model-mcsat-arrays.smt2
; says:         sat
; should say:   sat, with a model in which a and b differ
; affected:     2.6.5
; not affected: none that was asked
; found:        strategies subterm and generative from seeds of QF_AUFLIA and QF_ALIA (SMT-LIB), whose logic became nonlinear; reduced from 6404 bytes
;
; Both arrays are printed as a function that is 0 everywhere. Every function and array of such a model is (uninterpreted functions
; in QF_UFNRA, too), so the model that is printed says nothing of them. In QF_AX and QF_ALIA, where another engine is used, the same
; script gets a right model.
(set-logic QF_ANIA)
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(assert (not (= a b)))
(check-sat)
(get-model)
