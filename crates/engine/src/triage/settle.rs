//! Asks more releases before a report is ready.
//!
//! Triage bisects every trigger over the installed releases: they are few, and nothing is downloaded for what may turn out to
//! be a duplicate. For the trigger that leads a group, the newest release of the package index is asked as well: a bug that it
//! does not have is not reported. If it has the bug, releases are installed until it is known where the bug appears.

use std::sync::atomic::AtomicBool;

use super::bisect::{Bisection, Release, ReleaseScope};
use super::record::{ConfirmedFinding, TriageRecord};
use super::triager::Triager;
use crate::finding::Evidence;
use crate::solver::name::SolverName;
use crate::solver::version::Version;

/// The releases that can be installed, and how.
#[derive(Clone, Copy)]
pub struct ReleaseIndex<'a> {
    /// All releases of a solver, installed ones included, oldest first; the error says why the index cannot be read.
    pub releases: &'a (dyn Fn(&SolverName) -> Result<Vec<Release>, String> + Sync),
    /// Installs a release; the error says why that is not possible.
    pub install: &'a (dyn Fn(&SolverName, &Version) -> Result<(), String> + Sync),
}

impl Triager<'_> {
    /// Asks more releases about the trigger that leads a group; `None` if there is nothing to add, or if stopped.
    pub fn settle(&self, record: &TriageRecord, stop: &AtomicBool) -> Result<Option<TriageRecord>, String> {
        let (Some(index), Some(found)) = (self.index, &record.found) else { return Ok(None) };
        let Some(name) = bisected_name(found).filter(|_| found.evidence > Evidence::Disagreement) else {
            return Ok(None);
        };
        // Without the index, what is known of installed releases stays: the report calls it a range.
        let Ok(known) = (index.releases)(&name) else { return Ok(None) };
        if record.bisection.as_ref().is_some_and(|bisection| is_settled(bisection, &known)) {
            return Ok(None);
        }
        let ask = |scope: ReleaseScope| {
            self.releases_among((record, record.best()), &name, found.kind, (&known, scope), stop)
        };
        let mut bisection = ask(ReleaseScope::Newest)?;
        if bisection.newest().is_some_and(|(_, affected)| affected == Some(true)) {
            bisection = ask(ReleaseScope::Settling)?;
        }
        if bisection.stopped {
            return Ok(None);
        }
        Ok(Some(TriageRecord { bisection: Some(bisection), reproduction: None, ..record.clone() }))
    }
}

/// Returns true if nothing is left to ask.
fn is_settled(bisection: &Bisection, known: &[Release]) -> bool {
    let newest = bisection.newest().map(|(version, _)| version);
    bisection.lists_all && newest == known.last().map(|release| &release.version)
}

/// The solver whose releases are asked: the suspected release, or the releases that a local build stems from.
pub fn bisected_name(found: &ConfirmedFinding) -> Option<SolverName> {
    found.suspected_release().or_else(|| found.first_suspect())
}
