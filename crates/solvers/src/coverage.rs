//! What to cover of a solver, and by which driver: its program by those that start it, a library by the fork server.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use gainsay_coverage::binary::Binary;
use gainsay_coverage::change;
use gainsay_coverage::channel::Reporting;
use gainsay_coverage::diff::ChangedLines;
use gainsay_coverage::target::{CoverageTarget, SiteChoice, TargetError};

use super::driver::{CoverageRequest, DriverKind};
use super::native;
use super::profile::{DriverName, LibraryApi};
use super::resolve::{Program, Solver};
use super::runner;

/// Reads the program or the library of a solver and finds its sites.
pub fn target<'a>(
    solver: &Solver,
    choice: impl Into<SiteChoice<'a>>,
) -> Result<Arc<CoverageTarget>, TargetError> {
    let target = match &solver.program {
        Program::Binary { path, .. } => CoverageTarget::program(path, choice)?,
        Program::Library(_) => CoverageTarget::libraries(&files(solver)?, choice)?,
    };
    Ok(Arc::new(target))
}

/// The files that are covered.
fn files(solver: &Solver) -> io::Result<Vec<PathBuf>> {
    match &solver.program {
        Program::Binary { path, .. } => Ok(vec![path.clone()]),
        Program::Library(library) => match library.api {
            LibraryApi::Cvc5 => native::cvc5::library_files(&library.path),
            LibraryApi::Z3 => Ok(vec![library.path.clone()]),
        },
    }
}

/// The base symbols of functions of a solver that an older build lacks or has with other code.
pub fn changed_symbols(old: &Solver, new: &Solver) -> Result<BTreeSet<String>, TargetError> {
    let mut changed = BTreeSet::new();
    for (old, new) in files(old)?.iter().zip(files(new)?) {
        changed.extend(change::changed_symbols(&Binary::read(old)?, &Binary::read(&new)?));
    }
    Ok(changed)
}

/// The base symbols of functions of a solver with code of changed lines; its files need line tables.
pub fn symbols_of_lines(solver: &Solver, lines: &[ChangedLines]) -> Result<BTreeSet<String>, TargetError> {
    let mut changed = BTreeSet::new();
    for file in files(solver)? {
        changed.extend(change::symbols_of_lines(&Binary::read(&file)?, lines)?);
    }
    Ok(changed)
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
