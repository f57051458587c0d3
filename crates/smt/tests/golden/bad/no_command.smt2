; error: 2:1: expected a command in parentheses
assert
