//! Drivers: ways to run scripts on a solver. All return the same [`Run`].
//!
//! | driver | process | costs | isolation |
//! |---|---|---|---|
//! | `plain` | one per script, from the command line | the solver's start | full; the reference |
//! | `session` | one for many scripts, `(reset)` between them | least | a script may see state of an earlier one |
//! | `fork` | a library loaded once, a fork per script | little | full, but not the solver's own `main` |
//!
//! The plain driver repeats every run that looks like a bug.

use std::sync::atomic::AtomicBool;

use super::process::{HelperProgram, RunError};
use super::run::{Query, Run};

mod extra_commands;
mod fork;
mod launch_spec;
pub(super) mod marks;
mod one_shot;
mod plain;
pub(super) mod running_session;
mod session;

pub use launch_spec::{CoverageRequest, LaunchSpec, SessionSpec, SolverLibrary};

/// Runs scripts on one solver, one after the other.
pub trait Driver: Send {
    /// Runs one script. The `Run` holds whatever the solver does; an error means that the solver could not be run.
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError>;

    /// Like [`Driver::run`], but may end the run early once `stop` is set.
    fn run_unless(&mut self, query: &Query<'_>, stop: &AtomicBool) -> Result<Run, RunError> {
        let _ = stop;
        self.run(query)
    }
}

/// Opens a driver for a solver.
pub type OpenDriver = fn(&HelperProgram, &LaunchSpec) -> Result<Box<dyn Driver>, RunError>;

/// A member of [`ALL`].
pub struct DriverKind {
    /// Its name, as in `--driver NAME`.
    pub name: &'static str,
    /// How it runs solvers, in one line.
    pub about: &'static str,
    /// Returns true if it can drive this solver.
    pub fits: fn(&LaunchSpec) -> bool,
    /// Opens a driver of this kind.
    pub open: OpenDriver,
}

/// Every driver.
pub const ALL: &[DriverKind] = &[plain::PLAIN_DRIVER, session::SESSION_DRIVER, fork::FORK_DRIVER];
