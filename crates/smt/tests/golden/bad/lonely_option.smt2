; error: 2:28: expected the value of the option, found )
(set-option :produce-models)
