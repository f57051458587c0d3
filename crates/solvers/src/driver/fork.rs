//! The fork driver: a helper process loads the solver's library once, and forks for every script.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use super::one_shot::OneShot;
use super::{Driver, DriverKind, LaunchSpec};
use crate::process::{HelperProgram, RunError};
use crate::run::{Query, Run};

/// The entry in the list of drivers.
pub const FORK_DRIVER: DriverKind = DriverKind {
    name: "fork",
    about: "the solver's library loaded once, a fork per script",
    fits: |launch| launch.library.is_some(),
    open: |host, launch| Ok(Box::new(ForkDriver::open(host, launch)?)),
};

/// A fork per script.
pub struct ForkDriver(OneShot);

impl ForkDriver {
    /// A driver for this solver, which must have a library.
    pub fn open(host: &HelperProgram, launch: &LaunchSpec) -> Result<Self, RunError> {
        let library = launch.library.as_ref().ok_or_else(|| RunError::HelperGone("no library".to_owned()))?;
        let mut command =
            vec![OsString::from("fork"), library.api.name().into(), library.path.clone().into()];
        command.extend(library.arguments.iter().map(OsString::from));
        Ok(ForkDriver(OneShot::new(host, launch, command)?))
    }
}

impl Driver for ForkDriver {
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        self.0.run(query, None)
    }

    fn run_unless(&mut self, query: &Query<'_>, stop: &AtomicBool) -> Result<Run, RunError> {
        self.0.run(query, Some(stop))
    }
}
