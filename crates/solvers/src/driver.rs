//! Drivers: the ways to put a script to a solver. All give the same [`Run`].
//!
//! | driver | process | costs | isolation |
//! |---|---|---|---|
//! | `plain` | one per script, from the command line | the solver's start | full; the reference |
//! | `session` | one for many scripts, `(reset)` between them | least | a script may see what an earlier one left |
//! | `fork` | a library loaded once, a fork per script | little | full, but not the solver's own `main` |
//!
//! Anything that looks like a bug is run again by `plain`.

use std::sync::atomic::AtomicBool;

use super::process::{Host, RunError};
use super::run::{Query, Run};

mod fork;
mod launch;
pub(super) mod live;
pub(super) mod marks;
mod oneshot;
mod plain;
mod questions;
mod session;

pub use launch::{Launch, Library, Session};

/// A way to put scripts to one solver, one after the other.
pub trait Driver: Send {
    /// Runs one script. Whatever the solver does is in the `Run`; an error means that it could not be run at all.
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError>;

    /// The same for an answer that may not be wanted to the end: when `stop` is set, the run may be cut short.
    fn run_unless(&mut self, query: &Query<'_>, stop: &AtomicBool) -> Result<Run, RunError> {
        let _ = stop;
        self.run(query)
    }
}

/// Makes a driver for a solver.
pub type Open = fn(&Host, &Launch) -> Result<Box<dyn Driver>, RunError>;

/// A member of [`ALL`].
pub struct Kind {
    /// Its name, as in `--driver NAME`.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Whether it can drive this solver.
    pub fits: fn(&Launch) -> bool,
    /// Makes one.
    pub open: Open,
}

/// Every driver.
pub const ALL: &[Kind] = &[plain::KIND, session::KIND, fork::KIND];
