#!/bin/sh
# Has the newest z3 and cvc5 read COUNT (default 100000) generated scripts over all theories, drawn with SEED. Fails with the
# shortest scripts that one of them refuses.
#
#   experiments/generate/run.sh [COUNT] [SEED]
set -eu
cd "$(dirname "$0")/../.."
GAINSAY_SCRIPTS=${1:-100000} GAINSAY_SEED=${2:-1} exec cargo test --release -p gainsay --test generate
