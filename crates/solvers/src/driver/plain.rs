//! The plain driver: a fresh process per script, from the solver's own command line.
//!
//! The reference: what it says of a script is what a user of the solver sees. Cheap for what it is: the helper forks
//! nothing (vfork), the script and the output are memory files, and the environment lets malloc use huge pages.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use super::oneshot::OneShot;
use super::{Driver, Kind, Launch};
use crate::process::{Host, RunError};
use crate::run::{Query, Run};

/// The entry in the list of drivers.
pub const KIND: Kind = Kind {
    name: "plain",
    about: "a process per script, as a user would run the solver",
    fits: |_| true,
    open: |host, launch| Ok(Box::new(Plain::open(host, launch)?)),
};

/// A process per script.
pub struct Plain(OneShot);

impl Plain {
    /// A driver for this solver.
    pub fn open(host: &Host, launch: &Launch) -> Result<Self, RunError> {
        let mut command = vec!["keep".into(), "--".into(), launch.program.clone().into()];
        command.extend(launch.arguments.iter().map(OsString::from));
        Ok(Plain(OneShot::new(host, launch, command)?))
    }
}

impl Driver for Plain {
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        self.0.run(query, None)
    }

    fn run_unless(&mut self, query: &Query<'_>, stop: &AtomicBool) -> Result<Run, RunError> {
        self.0.run(query, Some(stop))
    }
}
