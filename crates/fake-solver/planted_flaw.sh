#!/bin/sh
# A real solver with a planted flaw that goes with one word of a script: for tests of `gainsay perf` and `gainsay localize`.
#
#   planted_flaw.sh slow WORD TURNS PROGRAM [ARGUMENT…] SCRIPT     turns in a loop before it answers a script with the word
#   planted_flaw.sh lie WORD PROGRAM [ARGUMENT…] SCRIPT            says sat for unsat and unsat for sat of such a script
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
