//! The fuzzing: everything between a script and a finding.
//!
//! It prints nothing and does not read the environment. A solver cannot make it return an error: whatever a solver does wrong
//! is content of a run. `ARCHITECTURE.md` shows how the modules work together.

pub mod campaign;
pub mod event;
pub mod feedback;
pub mod finding;
pub mod merge;
pub mod options;
pub mod oracle;
pub mod perf;
mod plain_terms;
pub mod prepare;
pub mod question;
pub mod run_limits;
pub mod schedule;
pub mod seeds;
pub mod session;
pub mod shell;
pub mod store;
pub mod tally;
pub mod time_span;
pub mod triage;
pub mod trial;

pub use gainsay_coverage as coverage;
pub use gainsay_reduce as reduce;
pub use gainsay_solvers as solver;
pub use gainsay_solvers::bounded;
pub use gainsay_strategies as strategy;
pub use gainsay_strategies::{known_answers, promise, random};

use gainsay_smt::operator_facts as facts;
