#!/bin/sh
# Every operator of the tables against z3 and cvc5: COUNT (1000 unless told) random ground applications of each, drawn with
# SEED. Fails with the applications of which a solver says otherwise. What solvers refuse, and what is unspecified, is said in
# crates/cli/tests/evaluate.rs.
#
#   experiments/operators/run.sh [COUNT] [SEED]
set -eu
cd "$(dirname "$0")/../.."
GAINSAY_APPLICATIONS=${1:-1000} GAINSAY_SEED=${2:-1} exec cargo test --release -p gainsay --test evaluate
