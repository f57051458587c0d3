//! Reduces one trigger: first to fewer steps of its chain, then to a smaller script. Both must keep the finding and the release
//! boundary of the bug. A fusion whose finding rests on a promised answer is reduced through its parents (`parents.rs`), since a smaller
//! script need not have that answer. Any other promise holds for what its check asserts: a candidate has it if fewer assertions
//! stay satisfiable, or if all that are unsatisfiable stay (`known_answers.rs`), and a dropped check takes its promise with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gainsay_smt::Script;

use super::bisect::{Bisection, ReleaseList, ReleaseScope};
use super::fewest_steps::fewest;
use super::finding_persists::{ScriptSpelling, SolverPanel};
use super::record::{ConfirmedFinding, ReducedParent, Stage, TriageRecord};
use super::release_boundary::{KeepsBoundary, ReleaseBoundary};
use super::release_survey::{ReferencePolicy, ReleaseSurvey};
use super::releases;
use super::settle::bisected_name;
use super::statement_cache::StatementCache;
use super::triager::{Triager, parse};
use crate::event::CaseNumber;
use crate::finding::{Evidence, Finding, FindingKind};
use crate::reduce::{
    self, Candidate, InterestingnessTest, Reduced, ReductionEnd, ReductionSettings, TestOutcome,
};
use crate::session::panel::PanelSolver;
use crate::solver::name::SolverName;
use crate::solver::run::Limits;

/// The time that a release gets for a candidate: at least this, and this many times its time on the trigger.
const MIN_CANDIDATE_TIME: Duration = Duration::from_secs(1);
const CANDIDATE_TIME_FACTOR: u32 = 4;

/// A reduction to do.
pub(super) struct ReductionTask<'t> {
    pub script: &'t Script,
    pub steps: &'t [CaseNumber],
    pub question: &'t dyn InterestingnessTest,
    pub settings: ReductionSettings,
    pub stop: &'t AtomicBool,
    /// When the reduction started, and the number of candidates tested before.
    pub started: Instant,
    pub checks: u64,
}

/// The result of a reduction.
#[derive(Debug, Default)]
pub(super) struct ReductionResult {
    pub steps: Vec<CaseNumber>,
    /// The script; `None` if it is unchanged.
    pub text: Option<String>,
    pub parents: Vec<ReducedParent>,
    pub model: Option<String>,
    /// The finding, if its evidence is stronger than before.
    pub found: Option<ConfirmedFinding>,
    pub note: String,
}

impl Triager<'_> {
    /// Reduces a confirmed trigger; returns `None` if stopped before the end.
    pub(super) fn reduce(
        &self,
        record: &TriageRecord,
        stop: &AtomicBool,
    ) -> Result<Option<TriageRecord>, String> {
        let found = record.found.as_ref().ok_or("nothing was confirmed")?;
        let script = parse(&record.script)?;
        let text = script.to_string();
        let suspect = found.suspected_release().or_else(|| self.release_of_build(record));
        let before = suspect
            .as_ref()
            .map(|name| self.releases_of((record, &record.script), name, found.kind, stop))
            .transpose()?;
        if before.as_ref().is_some_and(|before| before.stopped) {
            return Ok(None);
        }
        let solvers = self.solvers(&record.solvers)?;
        let panel = SolverPanel::new(&solvers, self.launcher, self.limits, ScriptSpelling::Prepared, &script);
        let is_promise = found.kind == FindingKind::Promise;
        let panel = if is_promise { self.promised(panel, record) } else { panel };
        let begin = Instant::now();
        let is_it = |finding: &Finding| {
            finding.suspects == found.suspects && finding.fingerprint.is_same_bug(&found.fingerprint)
        };
        let Some(target) = panel.findings(&script, &text)?.into_iter().find(is_it) else {
            let note = "it does not show the same each time".to_owned();
            return Ok(Some(TriageRecord { stage: Stage::Flaky, note, ..record.clone() }));
        };
        let settings =
            ReductionSettings { jobs: 1, first_test: Some(begin.elapsed()), max_timeout: self.limits.wall };
        let question = &panel.question(&script, &text, target)?;
        let (steps, started) = (record.steps.as_slice(), Instant::now());
        let task = ReductionTask { script: &script, steps, question, settings, stop, started, checks: 0 };
        let boundary = suspect.as_ref().zip(before.as_ref());
        let smaller = self.at_boundary(&task, boundary, |task| match found.kind {
            FindingKind::Promise if self.is_fusion(record) => self.shrink_parents(task, record, &solvers),
            _ => Ok(self.shrink(task)),
        })??;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let is_handed_over =
            found.kind == FindingKind::Promise && smaller.text.is_some() && smaller.model.is_none();
        let done = TriageRecord { stage: Stage::Reduced, before, ..smaller.onto(record) };
        if is_handed_over { self.hand_over(done, &solvers, stop) } else { Ok(Some(done)) }
    }

    /// The solver of a local build whose releases have a boundary to keep: a build of an installed release, or of an older one.
    fn release_of_build(&self, record: &TriageRecord) -> Option<SolverName> {
        let build = record.build_version.as_ref()?;
        let name = bisected_name(record.found.as_ref()?)?;
        let newest = releases::installed(&self.places, &name).ok()?.pop()?;
        (*build <= newest.version).then_some(name)
    }

    /// Runs `work` with a task that also keeps the release boundary, if there is one.
    fn at_boundary<T>(
        &self,
        task: &ReductionTask<'_>,
        boundary: Option<(&SolverName, &Bisection)>,
        work: impl FnOnce(&ReductionTask<'_>) -> T,
    ) -> Result<T, String> {
        let Some((name, before, boundary)) =
            boundary.and_then(|(name, before)| Some((name, before, ReleaseBoundary::of(before)?)))
        else {
            return Ok(work(task));
        };
        let releases = boundary.releases();
        // Candidates are many and seldom repeated, so they are not cached.
        let memory = StatementCache::none();
        let ask = |script: &Script, text: &str, limits: Limits| {
            let (kind, releases, memory) = (before.kind, &releases, &memory);
            let (listed, scope, expected) = (ReleaseList::Installed, ReleaseScope::Installed, &[][..]);
            let survey =
                ReleaseSurvey { script, text, name, kind, releases, listed, scope, expected, limits, memory };
            self.survey(&survey, ReferencePolicy::Implied, &AtomicBool::new(false))
        };
        let begin = Instant::now();
        let holds = boundary.holds(&ask(task.script, &task.script.to_string(), self.limits)?);
        let wall = self.limits.wall.min(MIN_CANDIDATE_TIME.max(begin.elapsed() * CANDIDATE_TIME_FACTOR));
        let limits = Limits { wall, ..self.limits };
        let bisect = |candidate: &Candidate<'_>| ask(candidate.script, candidate.text, limits);
        let kept = KeepsBoundary { question: task.question, boundary: &boundary, bisect: &bisect };
        // If the script as we print it does not have the boundary, it cannot be kept; the affected releases are compared at the end.
        let question: &dyn InterestingnessTest = if holds { &kept } else { task.question };
        Ok(work(&ReductionTask { question, ..*task }))
    }

    /// Fewer steps, then a smaller script.
    fn shrink(&self, task: &ReductionTask<'_>) -> ReductionResult {
        let make = |steps: &[CaseNumber]| (self.remake)(steps).and_then(|text| parse(&text).ok());
        let (steps, made) = self.fewer_steps(task, &make);
        let reduced = self.search(task, made.as_ref().unwrap_or(task.script));
        let note = told(&reduced);
        ReductionResult { steps, text: Some(reduced.text), note, ..ReductionResult::default() }
    }

    /// Reduces a script within the budget.
    pub(super) fn search(&self, task: &ReductionTask<'_>, script: &Script) -> Reduced {
        let enough = AtomicBool::new(false);
        let mut watch = |progress: reduce::ReductionProgress<'_>| {
            let over = self.is_over(task, progress.checks);
            enough.fetch_or(over, Ordering::Relaxed);
        };
        reduce::run(script, task.question, task.settings, &enough, &mut watch)
    }

    /// Returns true if the budget of a reduction is used up.
    pub(super) fn is_over(&self, task: &ReductionTask<'_>, checks: u64) -> bool {
        task.started.elapsed() > self.patience.time
            || self.patience.checks.is_some_and(|most| task.checks + checks >= most)
            || task.stop.load(Ordering::Relaxed)
    }

    /// The steps of the chain that show the finding, and their script; `None` if all steps are needed.
    pub(super) fn fewer_steps(
        &self,
        task: &ReductionTask<'_>,
        make: &dyn Fn(&[CaseNumber]) -> Option<Script>,
    ) -> (Vec<CaseNumber>, Option<Script>) {
        let mut best = None;
        let mut shows = |steps: &[CaseNumber]| {
            if self.is_over(task, 0) {
                return false;
            }
            let Some(script) = make(steps) else { return false };
            let shows = shows(task, &script);
            if shows {
                best = Some(script);
            }
            shows
        };
        (fewest(task.steps, &mut shows), best)
    }

    /// Continues after the reduction of a finding that rests on a promise: if solvers now show the bug without the promise, their
    /// finding is reduced further; if a solver agrees with the promise, that counts as evidence.
    fn hand_over(
        &self,
        done: TriageRecord,
        solvers: &[PanelSolver],
        stop: &AtomicBool,
    ) -> Result<Option<TriageRecord>, String> {
        let text = done.best();
        let script = parse(text)?;
        let sure = |panel: &SolverPanel<'_>| -> Result<Option<ConfirmedFinding>, String> {
            let mut findings = panel.findings(&script, text)?.into_iter();
            let is_sure = |finding: &Finding| {
                done.found.as_ref().is_some_and(|found| found.suspects == finding.suspects)
                    && finding.evidence > Evidence::Disagreement
            };
            Ok(findings.find(is_sure).map(|finding| ConfirmedFinding::from(&finding)))
        };
        let panel = SolverPanel::new(solvers, self.launcher, self.limits, ScriptSpelling::Prepared, &script);
        let Some(found) = sure(&panel)? else {
            let found = sure(&self.promised(panel, &done))?.or_else(|| done.found.clone());
            return Ok(Some(TriageRecord { found, ..done }));
        };
        let (found, steps) = (Some(found), Vec::new());
        let seen =
            TriageRecord { script: text.to_owned(), steps, found, parents: Vec::new(), ..done.clone() };
        Ok(match self.reduce(&seen, stop)? {
            Some(again) if again.stage == Stage::Reduced => {
                let TriageRecord { script, steps, before, .. } = done;
                Some(TriageRecord { script, steps, before, ..again })
            }
            // The stronger finding must show each time.
            Some(_) => Some(done),
            None => None,
        })
    }
}

impl ReductionResult {
    fn onto(self, record: &TriageRecord) -> TriageRecord {
        let ReductionResult { steps, text: reduced, parents, model, found, note } = self;
        let found = found.or_else(|| record.found.clone());
        TriageRecord { steps, reduced, parents, model, found, note, ..record.clone() }
    }
}

/// Returns true if a script passes the test of the reduction.
pub(super) fn shows(task: &ReductionTask<'_>, script: &Script) -> bool {
    let text = script.to_string();
    let candidate = Candidate { script, text: &text, timeout: None, stop: task.stop };
    task.question.test(&candidate) == TestOutcome::Interesting
}

/// Why a reduction ended early, if so.
pub(super) fn told(reduced: &Reduced) -> String {
    match &reduced.end {
        ReductionEnd::Stopped => format!("the reduction was ended after {} candidates", reduced.checks),
        ReductionEnd::TestFailed(why) => format!("the reduction ended early: {why}"),
        ReductionEnd::Done => String::new(),
    }
}
