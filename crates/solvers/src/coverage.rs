//! What to cover of a solver, and by which driver: its program by those that start it, a library by the fork server.

use std::sync::Arc;

use gainsay_coverage::channel::Reporting;
use gainsay_coverage::target::{CoverageTarget, Level, TargetError};

use super::driver::{CoverageRequest, DriverKind};
use super::native;
use super::profile::{DriverName, LibraryApi};
use super::resolve::{Program, Solver};
use super::runner;

/// Reads the program or the library of a solver and finds its sites.
pub fn target(solver: &Solver, level: Level) -> Result<Arc<CoverageTarget>, TargetError> {
    let target = match &solver.program {
        Program::Binary { path, .. } => CoverageTarget::program(path, level)?,
        Program::Library(library) => match library.api {
            LibraryApi::Cvc5 => {
                CoverageTarget::libraries(&native::cvc5::library_files(&library.path)?, level)?
            }
            LibraryApi::Z3 => CoverageTarget::libraries(std::slice::from_ref(&library.path), level)?,
        },
    };
    Ok(Arc::new(target))
}

/// The driver that can measure coverage in place of another: traps of a library need a fork server, those of a program any other.
pub fn driver_for(target: &CoverageTarget, wanted: &'static DriverKind) -> &'static DriverKind {
    let fork = runner::kind(DriverName::Fork).expect("the fork driver is always there");
    match (target.is_program(), wanted.name == fork.name) {
        (false, _) => fork,
        (true, true) => runner::plain(),
        (true, false) => wanted,
    }
}

/// A request for runs that report code once.
pub fn first_hits(target: &Arc<CoverageTarget>) -> CoverageRequest {
    CoverageRequest { target: target.clone(), reporting: Reporting::FirstHits }
}

/// A request for runs that report all code that they reach.
pub fn every_run(target: &Arc<CoverageTarget>) -> CoverageRequest {
    CoverageRequest { target: target.clone(), reporting: Reporting::EveryRun }
}
