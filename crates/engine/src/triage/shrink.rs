//! The reduction of one trigger: fewer steps of its chain first, then a smaller script, both under the question of its finding
//! and the boundary of its bug. What rests on a promise is made smaller by its parents (`parents.rs`): a smaller script
//! need not have the answer that the whole was made to have.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gainsay_smt::Script;

use super::bisect::Bisection;
use super::fewest_steps::fewest;
use super::finding_persists::{ScriptSpelling, SolverPanel};
use super::record::{ConfirmedFinding, ReducedParent, Stage, TriageRecord};
use super::release_boundary::{KeepsBoundary, ReleaseBoundary};
use super::release_survey::{ReferencePolicy, ReleaseSurvey};
use super::statement_cache::StatementCache;
use super::triager::{Triager, parse};
use crate::event::CaseNumber;
use crate::finding::{Evidence, Finding, FindingKind};
use crate::reduce::{
    self, Candidate, InterestingnessTest, Reduced, ReductionEnd, ReductionSettings, TestOutcome,
};
use crate::solver::name::SolverName;
use crate::solver::run::Limits;
use crate::trial::Promise;
use crate::trial::panel::PanelSolver;

/// What a release of an boundary may take for a candidate in any case, and in terms of what it took for the trigger.
const MIN_CANDIDATE_TIME: Duration = Duration::from_secs(1);
const CANDIDATE_TIME_FACTOR: u32 = 4;

/// What is reduced, and how.
pub(super) struct ReductionTask<'t> {
    pub script: &'t Script,
    pub steps: &'t [CaseNumber],
    pub question: &'t dyn InterestingnessTest,
    pub settings: ReductionSettings,
    pub stop: &'t AtomicBool,
    /// When the work began, and how many candidates were asked about before.
    pub started: Instant,
    pub checks: u64,
}

/// What came of a reduction.
#[derive(Debug, Default)]
pub(super) struct ReductionResult {
    pub steps: Vec<CaseNumber>,
    /// The script; nothing if it is as it was.
    pub text: Option<String>,
    pub parents: Vec<ReducedParent>,
    pub model: Option<String>,
    /// What is found in it, if that is surer than what was.
    pub found: Option<ConfirmedFinding>,
    pub note: String,
}

impl Triager<'_> {
    /// Makes a confirmed trigger small; nothing if it was stopped before that was done.
    pub(super) fn reduce(
        &self,
        record: &TriageRecord,
        stop: &AtomicBool,
    ) -> Result<Option<TriageRecord>, String> {
        let found = record.found.as_ref().ok_or("nothing was confirmed")?;
        let script = parse(&record.script)?;
        let text = script.to_string();
        let suspect = found.suspected_release();
        let before = suspect
            .as_ref()
            .map(|name| self.releases_of((record, &record.script), name, found.kind, stop))
            .transpose()?;
        if before.as_ref().is_some_and(|before| before.stopped) {
            return Ok(None);
        }
        let solvers = self.solvers(&record.solvers)?;
        let panel = SolverPanel::new(&solvers, self.setting, self.limits, ScriptSpelling::Prepared, &script);
        let promise = record.promise.filter(|_| found.kind == FindingKind::Promise);
        let panel = panel.promising(promise.map_or(Promise::Nothing, Promise::Known));
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
            FindingKind::Promise => self.shrink_parents(task, record, &solvers),
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

    /// Works under the boundary of what was found, too, if it has one.
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
        // Candidates are many, and nobody asks about them again.
        let memory = StatementCache::none();
        let ask = |script: &Script, text: &str, limits: Limits| {
            let (kind, releases, memory) = (before.kind, &releases, &memory);
            let survey = ReleaseSurvey { script, text, name, kind, releases, expected: None, limits, memory };
            self.survey(&survey, ReferencePolicy::Implied, &AtomicBool::new(false))
        };
        let begin = Instant::now();
        let holds = boundary.holds(&ask(task.script, &task.script.to_string(), self.limits)?);
        let wall = self.limits.wall.min(MIN_CANDIDATE_TIME.max(begin.elapsed() * CANDIDATE_TIME_FACTOR));
        let limits = Limits { wall, ..self.limits };
        let bisect = |candidate: &Candidate<'_>| ask(candidate.script, candidate.text, limits);
        let kept = KeepsBoundary { question: task.question, boundary: &boundary, bisect: &bisect };
        // What it does not have as we print it, it cannot keep: the two vectors are compared at the end.
        let question: &dyn InterestingnessTest = if holds { &kept } else { task.question };
        Ok(work(&ReductionTask { question, ..*task }))
    }

    /// Fewer steps, then a smaller script.
    fn shrink(&self, task: &ReductionTask<'_>) -> ReductionResult {
        let make = |steps: &[CaseNumber]| (self.maker)(steps).and_then(|text| parse(&text).ok());
        let (steps, made) = self.fewer_steps(task, &make);
        let reduced = self.search(task, made.as_ref().unwrap_or(task.script));
        let note = told(&reduced);
        ReductionResult { steps, text: Some(reduced.text), note, ..ReductionResult::default() }
    }

    /// Makes a script smaller as long as there is patience.
    pub(super) fn search(&self, task: &ReductionTask<'_>, script: &Script) -> Reduced {
        let enough = AtomicBool::new(false);
        let mut watch = |progress: reduce::ReductionProgress<'_>| {
            let over = self.is_over(task, progress.checks);
            enough.fetch_or(over, Ordering::Relaxed);
        };
        reduce::run(script, task.question, task.settings, &enough, &mut watch)
    }

    /// Whether a reduction has had what it may have.
    pub(super) fn is_over(&self, task: &ReductionTask<'_>, checks: u64) -> bool {
        task.started.elapsed() > self.patience.time
            || self.patience.checks.is_some_and(|most| task.checks + checks >= most)
            || task.stop.load(Ordering::Relaxed)
    }

    /// The steps of its chain that show it, and what they make; no script if all are needed.
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

    /// What rested on a promise, reduced: if others are sure of it by now without the promise, it is reduced further as
    /// they see it; if somebody is on the side of the promise, that is evidence.
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
        let panel = SolverPanel::new(solvers, self.setting, self.limits, ScriptSpelling::Prepared, &script);
        let Some(found) = sure(&panel)? else {
            let promise = done.promise.map_or(Promise::Nothing, Promise::Known);
            let found = sure(&panel.promising(promise))?.or_else(|| done.found.clone());
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
            // What is not seen each time is not seen well enough.
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

/// Whether a script shows what is reduced.
pub(super) fn shows(task: &ReductionTask<'_>, script: &Script) -> bool {
    let text = script.to_string();
    let candidate = Candidate { script, text: &text, timeout: None, stop: task.stop };
    task.question.test(&candidate) == TestOutcome::Interesting
}

/// Why a reduction ended before it was done, if it did.
pub(super) fn told(reduced: &Reduced) -> String {
    match &reduced.end {
        ReductionEnd::Stopped => format!("the reduction was ended after {} candidates", reduced.checks),
        ReductionEnd::TestFailed(why) => format!("the reduction ended early: {why}"),
        ReductionEnd::Done => String::new(),
    }
}
