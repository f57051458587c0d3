; error: 3:12: the logic is already set
(set-logic ALL)
(set-logic QF_LIA)
