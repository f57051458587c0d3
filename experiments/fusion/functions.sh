#!/bin/sh
# Generates fusion functions of several sizes over all theories, checks each on random inputs, and sums up the results.
#
#   functions.sh GAINSAY [COUNT] [INPUTS] [SOLVER…]
#
# COUNT functions (default 10000) are spread over sizes 5 10 20 25 30 50 and ten sets of theories; each is evaluated on
# INPUTS inputs (default 500). With solvers, also counts what they prove within five seconds. Prints one line of JSON a file, then the sum.
set -eu
gainsay=$1
count=${2:-10000}
inputs=${3:-500}
shift; [ $# -gt 0 ] && shift; [ $# -gt 0 ] && shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
solvers=
for solver in "$@"; do solvers="$solvers --solver $solver"; done
each=$(( (count + 59) / 60 ))
seed=0
for size in 5 10 20 25 30 50; do
  for theories in bool int real string bitvector floatingpoint array,int,bitvector sequence,int,string \
    int,real,string,bitvector bool,int,real,string,bitvector,floatingpoint,array,sequence; do
    seed=$((seed + 1))
    # Five nodes hold two parameters and little else.
    parameters=2
    [ "$size" -gt 5 ] && parameters=$((2 + seed % 3))
    "$gainsay" fusion generate --theory "$theories" --size "$size" --count "$each" --rng-seed "$seed" \
      --parameters "$parameters" --out "$folder/functions.smt2" --json > "$folder/generated.json"
    # shellcheck disable=SC2086  # options are words
    "$gainsay" fusion check "$folder/functions.smt2" --inputs "$inputs" --rng-seed "$seed" $solvers --json \
      > "$folder/checked.json" || true
    python3 - "$size" "$theories" "$folder" <<'PYTHON'
import json, sys
size, theories, folder = sys.argv[1:]
row = json.loads(open(f"{folder}/checked.json").read().splitlines()[-1])
row = {"size": int(size), "theories": theories, **{key: row[key] for key in
    ["functions", "proved", "evaluated", "refuted", "ill_sorted", "unproved", "malformed"]}, "errors": row["errors"][:3]}
print(json.dumps(row), flush=True)
open(f"{folder}/rows", "a").write(json.dumps(row) + "\n")
PYTHON
  done
done
python3 - "$folder/rows" <<'PYTHON'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
keys = ["functions", "proved", "evaluated", "refuted", "ill_sorted", "unproved", "malformed"]
print(json.dumps({key: sum(row[key] for row in rows) for key in keys}))
PYTHON
