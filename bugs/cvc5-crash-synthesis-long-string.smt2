; title:        cvc5 crashes in a synthesis conjecture over strings when a counterexample is too long a string
; kind:         crash
; question:     synthesis
; evidence:     proved
; standing:     extension
; solver:       cvc5@1.4.2
; beside:       no other solver
; command:      cvc5 cvc5-crash-synthesis-long-string.smt2
; says:         nothing but a remark on strings-model-max-len, Fatal failure within RemoveTermFormulas::runCurrentInternal, abort
; should say:   a function, fail or unknown
; affected:     1.2.0 1.2.1 1.3.0 1.3.1 1.3.2 1.3.3 1.3.4 1.4.0 1.4.1 1.4.2
; not affected: none that was tested
; found:        question synthesis, in a mutant of a seed over strings that `gainsay quickstart` made; reduced by gainsay as a tree of parentheses
; tracker:      none found; near: cvc5 issues 8094 and 8096 (closed; too long a string in a model fails other checks)
;
; cvc5 remarks that a model needs a string of 196,608 characters, more than it allows, and then fails a check of its own.
(set-option :sygus true)
(set-logic ALL)
(declare-var s String)
(declare-var i Int)
(synth-fun b ((i Int)) String)
(constraint (=> (<= 0 (str.indexof (ite (<= 0 i) s (str.from_code i)) "" i)) (<= 0 (str.indexof (b i) "" i))))
(check-synth)
