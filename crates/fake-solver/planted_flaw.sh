#!/bin/sh
# A real solver with a planted bug that one operator triggers: for tests of `gainsay perf` and `gainsay localize`.
#
#   planted_flaw.sh slow WORD TURNS PROGRAM [ARGUMENT…] SCRIPT     loops before it solves a script with the word
#   planted_flaw.sh lie WORD PROGRAM [ARGUMENT…] SCRIPT            swaps sat and unsat for such a script
set -u
flaw=$1
word=$2
shift 2
if [ "$flaw" = slow ]; then
    turns=$1
    shift
fi
for script; do :; done
if ! grep -qF -- "($word " "$script"; then
    exec "$@"
fi
case $flaw in
slow)
    while [ "$turns" -gt 0 ]; do turns=$((turns - 1)); done
    exec "$@"
    ;;
lie)
    "$@" | sed -e 's/^sat$/not/' -e 's/^unsat$/sat/' -e 's/^not$/unsat/'
    ;;
esac
