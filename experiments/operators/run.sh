#!/bin/sh
# Compares our evaluator with z3 and cvc5 on COUNT (default 1000) random ground applications of every operator, drawn with SEED.
# Fails with the applications for which a solver has another value. crates/cli/tests/evaluator_against_solvers.rs lists what solvers refuse and what
# the standard leaves open.
#
#   experiments/operators/run.sh [COUNT] [SEED]
set -eu
cd "$(dirname "$0")/../.."
GAINSAY_APPLICATIONS=${1:-1000} GAINSAY_SEED=${2:-1} exec cargo test --release -p gainsay --test evaluator_against_solvers
