//! Asks more releases before a report is ready.
//!
//! Triage bisects every trigger over the installed releases: they are few, and nothing is downloaded for what may turn out to
//! be a duplicate. For the trigger that leads a group, the newest release of the package index is asked as well: a bug that it
//! does not have is not reported. If it has the bug, releases are installed until it is known where the bug appears. Releases that
//! were installed since the trigger was bisected are asked, too, by a triage for other solvers or by a second one.

use std::sync::atomic::AtomicBool;

use super::bisect::{Bisection, Release, ReleaseList, ReleaseScope};
use super::record::{ConfirmedFinding, TriageRecord};
use super::releases;
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
        let Some(found) = &record.found else { return Ok(None) };
        let Some(name) = bisected_name(found).filter(|_| found.evidence > Evidence::Disagreement) else {
            return Ok(None);
        };
        // Without the index, the report calls what is known of installed releases a range.
        let Some(known) = self.index.and_then(|index| (index.releases)(&name).ok()) else {
            return self.ask_installed(record, &name, stop);
        };
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

    /// Asks the installed releases again if some were installed since; `None` if not, or if stopped.
    fn ask_installed(
        &self,
        record: &TriageRecord,
        name: &SolverName,
        stop: &AtomicBool,
    ) -> Result<Option<TriageRecord>, String> {
        let Some(bisection) = record.bisection.as_ref().filter(|one| one.listed == ReleaseList::Installed)
        else {
            return Ok(None);
        };
        let installed = releases::installed(&self.places, name).map_err(|error| error.to_string())?;
        if has_asked_installed(bisection, &installed) {
            return Ok(None);
        }
        let kind = record.found.as_ref().map(|found| found.kind).ok_or("nothing was confirmed")?;
        let bisection = self.releases_of((record, record.best()), name, kind, stop)?;
        let is_stopped = bisection.stopped;
        let settled = TriageRecord { bisection: Some(bisection), reproduction: None, ..record.clone() };
        Ok((!is_stopped).then_some(settled))
    }
}

/// Returns true if nothing is left to ask.
fn is_settled(bisection: &Bisection, known: &[Release]) -> bool {
    let newest = bisection.newest().map(|(version, _)| version);
    bisection.listed == ReleaseList::All
        && newest == known.last().map(|release| &release.version)
        && has_asked_installed(bisection, known)
}

/// Returns true if all releases that are installed were asked.
fn has_asked_installed(bisection: &Bisection, known: &[Release]) -> bool {
    known.iter().filter(|release| release.installed).all(|release| bisection.has_asked(&release.version))
}

/// The solver whose releases are asked: the suspected release, or the releases that a local build stems from.
pub fn bisected_name(found: &ConfirmedFinding) -> Option<SolverName> {
    found.suspected_release().or_else(|| found.first_suspect())
}
