; error: 3:1: expected ) to end the command assert, found the end of the text
(assert true
