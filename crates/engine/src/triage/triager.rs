//! The steps of one trigger: confirm, reduce, bisect.
//!
//! Confirming asks more solvers than the campaign did, the newest installed release of every code base, so that a mere
//! disagreement may turn into a finding with a suspect. A finding that shows only sometimes is flaky, one that does not show is
//! gone, and neither is processed further. The trigger is bisected before it is reduced (`shrink.rs`), so that the reduction can
//! keep the release boundary. If only the promised answer contradicts the suspect, and no other solver does, the finding is
//! confirmed by the promise. A fusion is then reduced through its parents (`parents.rs`), other scripts as long as the promise follows
//! for what is left of them (`known_answers.rs`).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gainsay_smt::{Script, Signature};

use super::bisect::Bisection;
use super::finding_persists::{ScriptSpelling, SolverPanel};
use super::parents::FusedParents;
use super::record::{ConfirmedFinding, Stage, TriageRecord};
use super::release_boundary::has_slipped;
use super::releases;
use super::settle::{ReleaseIndex, bisected_name};
use super::statement_cache::StatementCache;
use super::strengthen::strengthen_evidence;
use crate::event::CaseNumber;
use crate::finding::{Evidence, Finding, FindingKind};
use crate::question;
use crate::seeds;
use crate::session::panel::PanelSolver;
use crate::solver::name::SolverName;
use crate::solver::resolve::Places;
use crate::solver::run::Limits;
use crate::solver::runner::Launcher;
use crate::solver::version::Version;
use crate::trial::Promise;

/// Runs in a row that must show the same finding.
const CONFIRMATION_RUNS: usize = 2;

/// Does the steps of triage.
pub struct Triager<'a> {
    /// Where solvers are installed.
    pub places: Places<'a>,
    /// How solver processes are started.
    pub launcher: &'a Launcher,
    /// Cached statements of releases.
    pub memory: StatementCache,
    /// The limits of each run.
    pub limits: Limits,
    /// The budget of one reduction; the smallest script by then is the result.
    pub patience: ReductionBudget,
    /// Remakes a script by some steps of a chain; returns `None` if they make none, or if there is no campaign.
    pub remake: &'a (dyn Fn(&[CaseNumber]) -> Option<String> + Sync),
    /// Decomposes the case that some steps of a chain make; returns `None` if it is not a fusion.
    pub parents: &'a (dyn Fn(&[CaseNumber]) -> Option<FusedParents> + Sync),
    /// The releases that can be installed; `None` if only installed ones are asked.
    pub index: Option<ReleaseIndex<'a>>,
    /// Solvers that are known to work, by name.
    pub opened: Mutex<BTreeMap<String, PanelSolver>>,
}

/// The budget of one reduction.
#[derive(Debug, Clone, Copy)]
pub struct ReductionBudget {
    /// Wall-clock time.
    pub time: Duration,
    /// The number of candidates to test: a bound that gives the same result on a busy machine.
    pub checks: Option<u64>,
}

impl Triager<'_> {
    /// Does the next step of a trigger; returns `None` if stopped before the end of the step.
    pub fn step(&self, record: &TriageRecord, stop: &AtomicBool) -> Option<TriageRecord> {
        let done = match record.stage {
            Stage::New | Stage::Stuck => self.confirm(record),
            Stage::Confirmed => self.reduce(record, stop),
            Stage::Reduced => self.bisect(record, stop),
            Stage::Gone | Stage::Flaky | Stage::Bisected => Ok(Some(record.clone())),
        };
        match done {
            Err(_) | Ok(None) if stop.load(Ordering::Relaxed) => None,
            Err(why) => Some(TriageRecord { stage: Stage::Stuck, note: why, ..record.clone() }),
            Ok(done) => done,
        }
    }

    fn confirm(&self, record: &TriageRecord) -> Result<Option<TriageRecord>, String> {
        let script = parse(&record.script)?;
        let mut record = record.clone();
        let suspects = self.solvers(&record.solvers)?;
        let solvers = self.with_references(suspects);
        let panel = SolverPanel::new(&solvers, self.launcher, self.limits, ScriptSpelling::Prepared, &script);
        let look = |panel: &SolverPanel<'_>| -> Result<Vec<Option<Finding>>, String> {
            let once = |_| Ok(pick(panel.findings(&script, &record.script)?, &record));
            (0..CONFIRMATION_RUNS).map(once).collect()
        };
        let mut seen = look(&panel)?;
        if record.is_promised() && seen.iter().all(Option::is_none) {
            seen = look(&self.promised(panel, &record))?;
            if let Some(note) = self.doubt(&record, &solvers).filter(|_| seen.iter().any(Option::is_some)) {
                return Ok(Some(TriageRecord { stage: Stage::Gone, note, ..record }));
            }
        }
        record.note.clear();
        match seen.as_slice() {
            [Some(first), rest @ ..]
                if rest.iter().flatten().filter(|one| one.is_same(first)).count() == rest.len() =>
            {
                record.found = Some(ConfirmedFinding::from(first));
                record.build_version = self.build_version(&record);
                record.solvers = solvers.iter().map(|solver| solver.identity.name.clone()).collect();
                record.stage = Stage::Confirmed;
            }
            seen if seen.iter().all(Option::is_none) => {
                record.stage = Stage::Gone;
                "no solver is wrong about it any more".clone_into(&mut record.note);
            }
            _ => {
                record.stage = Stage::Flaky;
                "it does not show the same each time".clone_into(&mut record.note);
            }
        }
        Ok(Some(record))
    }

    fn bisect(&self, record: &TriageRecord, stop: &AtomicBool) -> Result<Option<TriageRecord>, String> {
        let found = self.restated(record)?;
        let record = &TriageRecord { found: Some(found.clone()), ..record.clone() };
        let done = |note: Option<String>| {
            let notes = [Some(record.note.clone()).filter(|note| !note.is_empty()), note];
            let note = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
            TriageRecord { stage: Stage::Bisected, note, ..record.clone() }
        };
        let Some(name) = bisected_name(&found) else {
            let note = format!("{} is not a solver with releases", found.suspects);
            return Ok(Some(done(Some(note))));
        };
        let bisection = self.releases_of((record, record.best()), &name, found.kind, stop)?;
        if bisection.stopped {
            return Ok(None);
        }
        let note = record.before.as_ref().and_then(|before| slip(before, &bisection));
        let found = Some(strengthen_evidence(&found, &bisection));
        Ok(Some(TriageRecord { found, bisection: Some(bisection), ..done(note) }))
    }

    /// The finding as the reduced script shows it: its explanation speaks of that script, and smaller scripts are often decided
    /// by more solvers, so that a disagreement or an invalid model may turn out to be a wrong answer.
    fn restated(&self, record: &TriageRecord) -> Result<ConfirmedFinding, String> {
        let found = record.found.clone().ok_or("nothing was confirmed")?;
        let rests_on_promise =
            found.kind == FindingKind::Promise || record.model.is_some() || !record.parents.is_empty();
        let Some(text) = record.reduced.as_ref().filter(|_| !rests_on_promise) else { return Ok(found) };
        let script = read(text)?;
        let solvers = self.solvers(&record.solvers)?;
        let panel = SolverPanel::new(&solvers, self.launcher, self.limits, ScriptSpelling::Prepared, &script);
        let findings =
            panel.findings(&script, text)?.into_iter().filter(|finding| is_no_weaker(finding, &found));
        let strongest = findings.min_by_key(|finding| (finding.kind.severity(), Reverse(finding.evidence)));
        Ok(strongest.map_or(found, |finding| ConfirmedFinding::from(&finding)))
    }

    /// A panel that holds solvers to the promises of a record: a fusion has its answer by its parents, and may be fused anew from smaller
    /// ones; the answers of other scripts hold for what is asserted.
    pub(super) fn promised<'p>(&self, panel: SolverPanel<'p>, record: &TriageRecord) -> SolverPanel<'p> {
        match (record.promise, self.is_fusion(record)) {
            (Some(answer), true) => panel.promising(Promise::Known(answer)),
            _ => panel.knowing(record.known_answers()),
        }
    }

    /// Returns true if a trigger was fused from two parents.
    pub(super) fn is_fusion(&self, record: &TriageRecord) -> bool {
        (self.parents)(&record.steps).is_some()
    }

    /// The solvers of these names, each checked once.
    pub(super) fn solvers(&self, names: &[String]) -> Result<Vec<PanelSolver>, String> {
        names.iter().map(|name| self.open(name)).collect()
    }

    fn open(&self, text: &str) -> Result<PanelSolver, String> {
        let known = |opened: &BTreeMap<String, PanelSolver>| opened.get(text).cloned();
        if let Some(solver) = known(&self.opened.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(solver);
        }
        let name: SolverName = text.parse().map_err(|error| format!("{text}: {error}"))?;
        let solver = self.places.resolve(&name).map_err(|error| error.to_string())?;
        let solver = PanelSolver::open(&solver, self.launcher).map_err(|error| error.to_string())?;
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned(), solver.clone());
        Ok(solver)
    }

    /// The version that the suspect of a record tells, if it is a local build.
    pub fn build_version(&self, record: &TriageRecord) -> Option<Version> {
        let found = record.found.as_ref().filter(|found| found.is_local_build())?;
        self.open(found.suspects.first()?).ok()?.identity.version
    }

    /// Adds the newest installed release of every code base.
    fn with_references(&self, mut solvers: Vec<PanelSolver>) -> Vec<PanelSolver> {
        for solver in releases::others(&self.places, "") {
            let name = solver.name.to_string();
            let is_there = |solver: &PanelSolver| solver.identity.name == name;
            if !solvers.iter().any(is_there)
                && let Ok(solver) = self.open(&name)
            {
                solvers.push(solver);
            }
        }
        solvers
    }
}

/// Among several findings, the one that a record is about.
fn pick(findings: Vec<Finding>, record: &TriageRecord) -> Option<Finding> {
    let is_suspected =
        |finding: &Finding| record.solvers.iter().any(|solver| finding.suspects.contains(solver));
    let is_it = |finding: &Finding| match &record.seen_as {
        None => true,
        Some(seen) if seen.kind() == FindingKind::Crash => finding.fingerprint.is_same_bug(seen),
        // With more solvers, a disagreement may become another kind of finding in the same code base.
        Some(seen) => {
            finding.kind != FindingKind::Crash
                && finding.fingerprint.families().any(|one| seen.families().any(|other| one == other))
        }
    };
    let fitting = findings.into_iter().filter(|finding| is_suspected(finding) && is_it(finding));
    fitting
        .min_by_key(|finding| (finding.kind.severity(), Reverse(finding.evidence), finding.suspects.clone()))
}

/// Returns true if a finding is the confirmed one, or says more of the same suspects: a wrong answer in the place of an invalid
/// model or of a disagreement.
fn is_no_weaker(finding: &Finding, found: &ConfirmedFinding) -> bool {
    let is_suspected = finding.suspects.iter().all(|suspect| found.suspects.contains(suspect));
    let is_same =
        finding.kind == found.kind && finding.fingerprint.is_same_bug_or_simpler(&found.fingerprint);
    let is_crash = |kind: FindingKind| kind == FindingKind::Crash;
    let is_stronger = finding.kind.severity() < found.kind.severity()
        && finding.evidence > Evidence::Disagreement
        && !is_crash(finding.kind)
        && !is_crash(found.kind);
    is_suspected && (is_same || is_stronger)
}

/// A note if the bug of the reduced script disappears at another release than the bug that was found.
fn slip(before: &Bisection, after: &Bisection) -> Option<String> {
    let told = |bisection: &Bisection| match (bisection.last_bad(), bisection.fixed_in()) {
        (Some(last), Some(fixed)) => format!("last seen in {last} and not in {fixed}"),
        (Some(last), None) => format!("last seen in {last}"),
        (None, _) => "seen in no release".to_owned(),
    };
    let words = format!("{}; what it was reduced from, {}: they may be two bugs", told(after), told(before));
    has_slipped(before, after).then_some(words)
}

/// Parses a script that has at least one check or another question.
pub(super) fn parse(text: &str) -> Result<Script, String> {
    let script = read(text)?;
    match seeds::questions(&script) == 0 && !question::is_asked(&script) {
        true => Err("nothing is asked in it".to_owned()),
        false => Ok(script),
    }
}

/// Parses a script. A crash may need no question.
pub(super) fn read(text: &str) -> Result<Script, String> {
    Script::parse(text, &Signature::standard()).map_err(|error| format!("it cannot be read: {error}"))
}
