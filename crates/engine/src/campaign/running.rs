//! Running: workers put cases and seeds to the solvers, judge the answers and confirm findings.

mod asking;
pub(super) mod case;
mod confirmation;
pub(super) mod mutant_outcome;
pub(super) mod own_work;
mod probing;
mod seed_facts;
pub(super) mod seed_probe;
pub(super) mod seed_status;
pub(super) mod worker;
