//! The reduction of one trigger: fewer steps of its chain first, then a smaller script, both under the question of its finding
//! and the edge of its bug.
//!
//! What rests on a promise alone is not reduced: a smaller script need not have the answer that the whole was made to have.
//! (Its parents could be made smaller and joined again; that is not done.)

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gainsay_smt::Script;

use super::bisect::Bisection;
use super::edge::{Edge, Kept};
use super::memory::Memory;
use super::question::{Court, Spelling};
use super::record::{Record, Stage};
use super::steps::fewest;
use super::survey::{Referees, Survey};
use super::work::{Workshop, parse, suspected_release};
use crate::event::CaseNumber;
use crate::oracle::{Finding, Kind};
use crate::reduce::{self, Candidate, End, Question, Reduced, Reply, Settings};
use crate::solver::name::SolverName;
use crate::solver::run::Limits;

/// What a release of an edge may take for a candidate in any case, and in terms of what it took for the trigger.
const LEAST: Duration = Duration::from_secs(1);
const TIMES_LONGER: u32 = 4;
/// What is said of a finding that nothing but a promise speaks for.
const PROMISED: &str =
    "not reduced: it rests on the answer that it was made to have, and a smaller script need not have it";

/// What is reduced, and how.
struct Task<'t> {
    script: &'t Script,
    steps: &'t [CaseNumber],
    question: &'t dyn Question,
    settings: Settings,
    stop: &'t AtomicBool,
}

impl Workshop<'_> {
    /// Makes a confirmed trigger small; nothing if it was stopped before that was done.
    pub(super) fn reduce(&self, record: &Record, stop: &AtomicBool) -> Result<Option<Record>, String> {
        let found = record.found.as_ref().ok_or("nothing was confirmed")?;
        if found.kind == Kind::Promise {
            let note = PROMISED.to_owned();
            return Ok(Some(Record { stage: Stage::Reduced, note, ..record.clone() }));
        }
        let script = parse(&record.script)?;
        let text = script.to_string();
        let suspect = suspected_release(found);
        let before = suspect
            .as_ref()
            .map(|name| self.releases_of((record, &record.script), name, found.kind, stop))
            .transpose()?;
        if before.as_ref().is_some_and(|before| before.stopped) {
            return Ok(None);
        }
        let team = self.team(&record.solvers)?;
        let court = Court::new(&team, self.setting, self.limits, Spelling::Prepared, &script);
        let begin = Instant::now();
        let is_it = |finding: &Finding| {
            finding.suspect == found.suspect && finding.fingerprint.as_str() == found.fingerprint
        };
        let Some(target) = court.findings(&script, &text)?.into_iter().find(is_it) else {
            let note = "it does not show the same each time".to_owned();
            return Ok(Some(Record { stage: Stage::Flaky, note, ..record.clone() }));
        };
        let settings = Settings { jobs: 1, first: Some(begin.elapsed()), longest: self.limits.wall };
        let question = &court.question(&script, &text, target)?;
        let task = Task { script: &script, steps: &record.steps, question, settings, stop };
        let (steps, reduced) = match (&suspect, &before) {
            (Some(name), Some(before)) => self.shrink_at_edge(&task, name, before)?,
            _ => self.shrink(&task),
        };
        let note = match reduced.end {
            End::Stopped if stop.load(Ordering::Relaxed) => return Ok(None),
            End::Stopped => format!("the reduction was ended after {} candidates", reduced.checks),
            End::Broken(why) => format!("the reduction ended early: {why}"),
            End::Done => String::new(),
        };
        let reduced = Some(reduced.text);
        Ok(Some(Record { stage: Stage::Reduced, steps, reduced, before, note, ..record.clone() }))
    }

    /// Shrinks under the edge of what was found, too, if it has one.
    fn shrink_at_edge(
        &self,
        task: &Task<'_>,
        name: &SolverName,
        before: &Bisection,
    ) -> Result<(Vec<CaseNumber>, Reduced), String> {
        let Some(edge) = Edge::of(before) else { return Ok(self.shrink(task)) };
        let releases = edge.releases();
        // Candidates are many, and nobody asks about them again.
        let memory = Memory::none();
        let ask = |script: &Script, text: &str, limits: Limits| {
            let (kind, releases, memory) = (before.kind, &releases, &memory);
            let survey = Survey { script, text, name, kind, releases, expected: None, limits, memory };
            self.survey(&survey, Referees::Implied, &AtomicBool::new(false))
        };
        let begin = Instant::now();
        let holds = edge.holds(&ask(task.script, &task.script.to_string(), self.limits)?);
        let wall = self.limits.wall.min(LEAST.max(begin.elapsed() * TIMES_LONGER));
        let limits = Limits { wall, ..self.limits };
        let bisect = |candidate: &Candidate<'_>| ask(candidate.script, candidate.text, limits);
        let kept = Kept { question: task.question, edge: &edge, bisect: &bisect };
        // What it does not have as we print it, it cannot keep: the two vectors are compared at the end.
        let question: &dyn Question = if holds { &kept } else { task.question };
        Ok(self.shrink(&Task { question, ..*task }))
    }

    /// Fewer steps, then a smaller script; gives the steps that are left.
    fn shrink(&self, task: &Task<'_>) -> (Vec<CaseNumber>, Reduced) {
        let (steps, made) = self.fewer_steps(task);
        let script = made.as_ref().unwrap_or(task.script);
        let (enough, started) = (AtomicBool::new(false), Instant::now());
        let mut watch = |progress: reduce::Progress<'_>| {
            let over = started.elapsed() > self.patience.time
                || self.patience.checks.is_some_and(|most| progress.checks >= most)
                || task.stop.load(Ordering::Relaxed);
            enough.fetch_or(over, Ordering::Relaxed);
        };
        (steps, reduce::run(script, task.question, task.settings, &enough, &mut watch))
    }

    /// The steps of its chain that show it, and what they make; no script if all are needed.
    fn fewer_steps(&self, task: &Task<'_>) -> (Vec<CaseNumber>, Option<Script>) {
        let (mut best, started) = (None, Instant::now());
        let mut shows = |steps: &[CaseNumber]| {
            if task.stop.load(Ordering::Relaxed) || started.elapsed() > self.patience.time {
                return false;
            }
            let Some(script) = (self.maker)(steps).and_then(|text| parse(&text).ok()) else { return false };
            let text = script.to_string();
            let candidate = Candidate { script: &script, text: &text, time: None, stop: task.stop };
            let shows = task.question.ask(&candidate) == Reply::Shows;
            if shows {
                best = Some(script);
            }
            shows
        };
        (fewest(task.steps, &mut shows), best)
    }
}
