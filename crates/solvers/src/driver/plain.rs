//! The plain driver: a fresh process per script, from the solver's own command line.
//!
//! This is the reference: it sees what a user of the solver sees. It is cheap because the helper starts processes by vfork,
//! the script and the output are memory files, and the environment lets malloc use huge pages.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use super::one_shot::OneShot;
use super::{Driver, DriverKind, LaunchSpec};
use crate::process::{HelperProgram, RunError};
use crate::run::{Query, Run};

/// The entry in the list of drivers.
pub const PLAIN_DRIVER: DriverKind = DriverKind {
    name: "plain",
    about: "a process per script, as a user would run the solver",
    fits: |_| true,
    open: |host, launch| Ok(Box::new(PlainDriver::open(host, launch)?)),
};

/// A process per script.
pub struct PlainDriver(OneShot);

impl PlainDriver {
    /// A driver for this solver.
    pub fn open(host: &HelperProgram, launch: &LaunchSpec) -> Result<Self, RunError> {
        let mut command = vec!["keep".into(), "--".into(), launch.program.clone().into()];
        command.extend(launch.arguments.iter().map(OsString::from));
        Ok(PlainDriver(OneShot::new(host, launch, command)?))
    }
}

impl Driver for PlainDriver {
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        self.0.run(query, None)
    }

    fn run_unless(&mut self, query: &Query<'_>, stop: &AtomicBool) -> Result<Run, RunError> {
        self.0.run(query, Some(stop))
    }
}
