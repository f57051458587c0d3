#!/bin/sh
# Runs one shard of a campaign on a machine of a fleet. gainsay wrote this file.
#
#   shard.sh GAINSAY PLAN FLEET SHARD SHARDS SCRATCH SECONDS
#
# The records live in a private folder below SCRATCH while the shard runs: a database does not belong on a network disk. Every SECONDS, at SIGTERM and at
# the end they are copied to FLEET/shards/SHARD. A shard that is killed goes on from its last copy; the cases since then are made again, and are the same.
#
# Exit codes: 0 the shard is done; 75 it was told to stop, and goes on when it is started again; others are those of gainsay.
set -u
gainsay=$1 plan=$2 fleet=$3 shard=$4 shards=$5 scratch=$6 seconds=$7
kept=$fleet/shards/$shard
new=$fleet/shards/.$shard.new
old=$fleet/shards/.$shard.old

mkdir -p "$fleet/shards" && private=$(mktemp -d "$scratch/gainsay-XXXXXX") || exit 5
trap 'rm -rf "$private"' EXIT
out=$private/campaign

# A kill between the two renames of `keep` leaves only the older copy.
if [ ! -e "$kept" ] && [ -e "$old" ]; then mv "$old" "$kept" || exit 5; fi
if [ -e "$kept/store.sqlite" ]; then cp -a "$kept" "$out" || exit 5; fi

keep() {
    [ -e "$out/store.sqlite" ] || return 0
    rm -rf "$new" "$old" && cp -a "$out" "$new" || return 1
    if [ -e "$kept" ]; then mv "$kept" "$old" || return 1; fi
    mv "$new" "$kept" && rm -rf "$old"
}

# The number of cases until now, or nothing.
cases() {
    "$gainsay" list "$out" --json 2>/dev/null | tail -n 1 | sed -n 's/^{[^[{]*"cases":\([0-9][0-9]*\).*/\1/p'
}

pid= stopped= before=none
trap 'stopped=yes; if [ -n "$pid" ]; then kill -TERM "$pid" 2>/dev/null; fi' TERM INT
while :; do
    if [ -e "$out/store.sqlite" ]; then
        set -- --resume
    else
        set -- "$plan" --shard "$shard/$shards"
    fi
    # In the foreground, it signals gainsay once, and not the solvers: a second signal would stop gainsay at once.
    timeout --foreground --signal=TERM "$seconds" "$gainsay" fuzz "$@" --out "$out" --plain &
    pid=$!
    wait "$pid"
    code=$?
    # A signal interrupts the first `wait`.
    while kill -0 "$pid" 2>/dev/null; do
        wait "$pid"
        code=$?
    done
    pid=
    keep || exit 5
    if [ -n "$stopped" ]; then exit 75; fi
    if [ "$code" -ne 124 ]; then break; fi
    # Where starting takes longer than the time between two copies, no case would ever be made.
    now=$(cases)
    if [ -z "$now" ] || [ "$now" = "$before" ] || [ "$now" = 0 ]; then seconds=$((seconds * 2)); fi
    before=$now
done
# Findings are a result, and so is a shard that skips all its cases.
case $code in
0 | 6 | 10) exit 0 ;;
*) exit "$code" ;;
esac
