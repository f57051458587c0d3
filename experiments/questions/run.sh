#!/bin/sh
# Campaigns of one question each against the newest z3 and cvc5, one after the other.
#
#   experiments/questions/run.sh OUT FIRST LAST [QUESTION...]
#
# Rounds FIRST to LAST have 5,000 cases of each question; even rounds are in small scope. OUT/QUESTION-ROUND is the campaign,
# OUT/QUESTION-ROUND.json has its events. Finished campaigns are skipped, so that a run can be stopped and started again; several can run
# at once with different questions. experiments/questions/sum.py OUT sums up. GAINSAY names the program, SEEDS the seeds.
#
# Elimination starts from the seeds with quantifiers only, and sequences are made by the strategy incremental alone, since other cases
# would have no place for these questions.
set -u
out=$1 first=$2 last=$3
shift 3
root=$(dirname "$0")/../..
gainsay=${GAINSAY:-$root/target/release/gainsay}
corpus=${SEEDS:-$root/corpus/smt}
[ $# -gt 0 ] || set -- core values objective simplify tactic elimination proof assignment interpolant abduct models preprocess synthesis sequence
mkdir -p "$out"

for round in $(seq "$first" "$last"); do
    scope=mixed
    [ $((round % 2)) = 1 ] || scope=small
    for question in "$@"; do
        name=$out/$question-$round
        seeds="--seeds $corpus" strategies=generative,operator,subterm,generate
        case $question in
            sequence) strategies=incremental ;;
            elimination) seeds=$(find "$corpus" -maxdepth 1 -mindepth 1 -type d ! -name 'QF_*' -printf '--seeds %p ') ;;
        esac
        [ ! -e "$name.done" ] || continue
        rm -rf "$name"
        echo "$question, round $round"
        "$gainsay" fuzz $seeds --solver z3@latest --solver cvc5@latest --questions "$question" --question-share 100 \
            --strategy "$strategies" --jobs 1 --timeout 100ms --scope $scope \
            --known "$root/experiments/hunt/known.txt" --rng-seed $((1000 * round + 29)) --cases 5000 --out "$name" --json \
            > "$name.json" 2> "$name.err"
        # 0: nothing found, 10: findings.
        case $? in 0 | 10) touch "$name.done" ;; esac
    done
done
