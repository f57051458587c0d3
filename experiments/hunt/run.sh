#!/bin/sh
# A hunt: campaigns of every strategy, alone and together, against the newest releases, one after the other.
#
#   experiments/hunt/run.sh OUT MINUTES [SMT-SEEDS...]
#
# Each campaign takes MINUTES, triages its findings while it runs, and leaves OUT/NAME (the campaign) and OUT/NAME.json (its events). The seeds are those of corpus/,
# the given folders, and for Horn clauses the folders in $CHC; $DRAW changes all random choices. known.txt lists two frequent bugs of yices.
# Campaigns that exist are skipped, so that a hunt can be stopped and resumed. experiments/hunt/figures.py OUT/*.json sums up.
set -u
out=$1 minutes=$2
shift 2
root=$(dirname "$0")/../..
gainsay=${GAINSAY:-$root/target/release/gainsay}
jobs=${JOBS:-1}
chc=${CHC:-}
draw=${DRAW:-0}
newest="--solver z3@latest --solver cvc5@latest --solver yices@latest"
mkdir -p "$out"

campaign() {
    name=$1
    shift
    [ -e "$out/$name" ] && return
    echo "$name"
    "$gainsay" fuzz --out "$out/$name" --jobs "$jobs" --timeout 1 --time "${minutes}m" --triage --known "$root/experiments/hunt/known.txt" --json "$@" > "$out/$name.json" 2> "$out/$name.err"
}

# shellcheck disable=SC2086
hunt() {
    campaign thompson $newest --seeds "$root/corpus/smt" "$@" --schedule thompson --rng-seed $((draw + 1))
    campaign together $newest --seeds "$root/corpus/smt" "$@" --rng-seed $((draw + 2))
    for strategy in generative operator subterm fusion value generate construct; do
        campaign "$strategy" $newest --seeds "$root/corpus/smt" "$@" --strategy "$strategy" --rng-seed $((draw + 3))
    done
    campaign options $newest --seeds "$root/corpus/smt" "$@" --options safe --rng-seed $((draw + 4))
    campaign releases --solver z3@latest --solver z3@4.13.0 --solver cvc5@latest --solver cvc5@1.2.0 --seeds "$root/corpus/smt" "$@" --schedule thompson --rng-seed $((draw + 6))
    campaign horn --solver spacer@latest --seeds "$root/corpus/chc" $chc --strategy horn --rng-seed $((draw + 5))
    campaign clauses --solver spacer@latest --solver spacer@4.13.0 --seeds "$root/corpus/chc" $chc --rng-seed $((draw + 7))
}

hunt "$@"
