//! The fork server: the solver's library loaded once in a helper process, a fork of that for every script.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use super::oneshot::OneShot;
use super::{Driver, Kind, Launch};
use crate::process::{Host, RunError};
use crate::run::{Query, Run};

/// The entry in the list of drivers.
pub const KIND: Kind = Kind {
    name: "fork",
    about: "the solver's library loaded once, a fork per script",
    fits: |launch| launch.library.is_some(),
    open: |host, launch| Ok(Box::new(Fork::open(host, launch)?)),
};

/// A fork per script.
pub struct Fork(OneShot);

impl Fork {
    /// A driver for this solver, which must have a library.
    pub fn open(host: &Host, launch: &Launch) -> Result<Self, RunError> {
        let library = launch.library.as_ref().ok_or_else(|| RunError::HelperGone("no library".to_owned()))?;
        let mut command =
            vec![OsString::from("fork"), library.api.name().into(), library.path.clone().into()];
        command.extend(library.arguments.iter().map(OsString::from));
        Ok(Fork(OneShot::new(host, launch, command)?))
    }
}

impl Driver for Fork {
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        self.0.run(query, None)
    }

    fn run_unless(&mut self, query: &Query<'_>, stop: &AtomicBool) -> Result<Run, RunError> {
        self.0.run(query, Some(stop))
    }
}
