//! Steering: a bandit chooses the seed and the strategies of each chain, and learns from the results of earlier chains.
//!
//! First the bandit chooses an arm (`arms.rs`) for the chain; the theory of the arm decides the seed, each seed in turn. Then it
//! chooses an arm for each step, among those that take this seed: mutants of several strategies find more than those of one. A case is a
//!
//! * success if it shows a new finding that the user does not list as known. The fingerprint of a crash identifies it. The
//!   fingerprint of a wrong answer only names the solver and the logic, so the same fingerprint on another seed counts as another
//!   bug; after a fusion, none of the fused seeds must have shown it before;
//! * success, in one of a hundred cases, if all its runs were decided and a solver behaved on this seed as never before: another
//!   answer, or, where traces are collected, another trace. Such novelties are many and worth little: counted always, or one in
//!   ten times, they drown the findings; if they were ignored, the bandit would learn nothing before the first finding;
//! * success, in one of ten cases, if coverage is measured and a run reached new code. It counts in place of new behaviour, and more often,
//!   since it ends by itself: each function is new once. In a campaign that is led by a change, only changed functions are measured, and
//!   a case that reaches any of them is a success in one of a hundred cases;
//! * failure if all its runs were decided and it is neither, if all its findings are known, or if the strategy did not apply;
//! * no lesson if a run was rejected, failed or was lost. But a chain without any lesson for an arm counts as one failure
//!   of it: an arm without decided runs would otherwise look promising for ever.
//!
//! What counts is the yield of an arm for its cost, so a case counts as several if it costs as much as several (`case_lesson.rs`), and one that
//! timed out is a failure of that weight.
//!
//! If scripts that reached new code are kept (`kept.rs`), half of the chains start from one of them, and not from a seed.
//!
//! Rewards decay, the slower the more arms there are, so that an arm whose bugs are all found does not live on its past.
//!
//! Rewards are applied in the order of chains, and the arms of chain n are chosen after exactly the chains up to n - `CHAIN_LAG`.
//! So they depend on the behaviour of solvers, but not on the number of workers or on a kill. The start of a chain is recorded before
//! its first case, and remaking a case reads the record.
//!
//! Processes that share a store learn from each other (`leased.rs`).
//! A shard learns alone: here, chains are counted by their places in the shard, and the draws of each shard have a stream of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::arms::{Arm, arms};
use crate::campaign::recording::known_bugs::KnownBugs;
use crate::campaign::running::worker::WorkerReport;
use crate::campaign::scripts::recipe::Recipe;
use crate::event::{CaseNumber, Event};
use crate::finding::FindingKind;
use crate::random::RandomStream;
use crate::schedule::{Agent, Reward, Scheduler};
use crate::seeds::Seed;
use crate::solver::trace::Identity;
use crate::store::{Lessons, StartRecord};

mod case_lesson;
mod joined;
pub mod kept;
mod leased;
mod planning;
mod promising;
mod recording;

use case_lesson::{extra_cost, is_decided, way};
pub use joined::joined_schedule;
use kept::{QueuedScript, ScriptQueue};
use leased::ChainPlaces;
use promising::PromisingSeeds;
pub use recording::recorded;

/// Chains that may be unfinished before the next choice waits for the first of them, for up to `JOBS_PER_LAG` workers.
const CHAIN_LAG: u64 = 16;

/// The number of workers that seldom wait for each other with that lag; with more workers the lag grows in proportion.
const JOBS_PER_LAG: u64 = 4;

/// A new behaviour of a solver counts as a success in one of this many cases.
const NOVELTY_REWARD_ODDS: usize = 100;

/// New code counts as a success in one of this many cases.
const NEW_CODE_REWARD_ODDS: usize = 10;

/// About how many of its lessons an arm remembers before they decay.
const LESSONS_PER_ARM: f64 = 200.0;

/// Time between two checks whether the campaign is stopping.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The choices of a bandit, and its records.
#[derive(Debug)]
pub struct Steering {
    state: Mutex<SteeringState>,
    /// Signals that another chain was planned.
    planned: Condvar,
}

#[derive(Debug)]
struct SteeringState {
    stream: RandomStream,
    places: ChainPlaces,
    /// Successes and failures of each arm that other processes have seen, as far as they count here; empty if there are none.
    lessons_of_others: Vec<(f64, f64)>,
    /// Whether coverage is measured: then new code counts, in place of new behaviour.
    is_covered: bool,
    /// The number of cases of a chain.
    length: u64,
    scheduler: Scheduler,
    /// The seeds of each arm, in order.
    seeds: Vec<Vec<usize>>,
    /// Whether the strategy of each arm takes two parents.
    joins: Vec<bool>,
    /// The seeds of each theory, or all seeds if arms have no theory, in order.
    circles: BTreeMap<Option<String>, Vec<usize>>,
    record: SteeringRecord,
    /// Identities that were rewarded once; they are not rewarded again.
    earned: BTreeSet<Identity>,
    /// Those of them that are not recorded yet.
    news: Vec<Identity>,
    /// Scripts that were added to the queue, and those that chains started from, since they were last recorded, if processes share the queue.
    queue_news: Vec<QueuedScript>,
    queue_uses: Vec<CaseNumber>,
    /// The starts of chains that an earlier session has not finished.
    begun: BTreeMap<u64, StartRecord>,
    /// The scripts that they started from, if not from their seeds, by the number of the chain.
    begun_scripts: BTreeMap<u64, QueuedScript>,
}

/// The part of the state that is recorded.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SteeringRecord {
    lag: u64,
    /// The rewards of chains below this number are applied.
    applied: u64,
    arms: Vec<LearnedArm>,
    /// The number of chains that each theory was chosen for.
    turns: BTreeMap<String, u64>,
    /// The planned starts of chains from `applied` on.
    planned: BTreeMap<u64, PlannedChain>,
    /// The lessons of their cases so far.
    lessons: BTreeMap<u64, Vec<CaseLesson>>,
    /// Those of them that have ended.
    ended: BTreeSet<u64>,
    /// The seeds that reach changed code.
    #[serde(default)]
    promising: PromisingSeeds,
    /// The scripts that reached new code, if they are kept.
    #[serde(default)]
    kept: ScriptQueue,
}

/// An arm and its rewards.
#[derive(Debug, Serialize, Deserialize)]
struct LearnedArm {
    #[serde(flatten)]
    arm: Arm,
    /// Cases of it that were run.
    cases: u64,
    successes: f64,
    failures: f64,
}

/// The planned start of a chain.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PlannedChain {
    /// The arm of each step.
    arms: Vec<usize>,
    seed: usize,
    visits: u64,
    /// The script that it starts from, if not from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<QueuedScript>,
}

/// The result of a case.
#[derive(Debug, Default, Serialize, Deserialize)]
struct CaseLesson {
    case: CaseNumber,
    /// Whether all runs were decided.
    decided: bool,
    /// What it cost beyond an ordinary case, in ordinary cases.
    #[serde(default)]
    extra_cost: f64,
    /// Identifies the behaviour of the solvers on this seed.
    way: Option<Identity>,
    /// Whether a run reached new code; `None` if coverage is not measured.
    #[serde(default)]
    new_code: Option<bool>,
    /// The rarity of the changed code that its runs reached; `None` if no change leads.
    #[serde(default)]
    rarity: Option<f64>,
    /// Its script, if it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<QueuedScript>,
    /// The identities of each finding.
    found: Vec<Vec<Identity>>,
}

impl Steering {
    /// Resumes from the lessons of earlier sessions, which have ended all chains below a number.
    pub fn new(
        agent: &'static dyn Agent,
        recipe: &Recipe,
        seeds: &[Seed],
        (cases, jobs): (Option<u64>, usize),
        (lessons, ended): (&Lessons, u64),
    ) -> Steering {
        let record = serde_json::from_str(&lessons.schedule).unwrap_or_else(|_| {
            let known = |arm: Arm| LearnedArm { arm, cases: 0, successes: 0.0, failures: 0.0 };
            let own = cases.map(|cases| recipe.shard().share_of(cases, recipe.length()));
            let arms = arms(recipe.strategies(), seeds, own).into_iter().map(known).collect();
            SteeringRecord {
                lag: CHAIN_LAG.max(CHAIN_LAG * jobs as u64 / JOBS_PER_LAG),
                applied: ended,
                arms,
                ..SteeringRecord::default()
            }
        });
        let count = record.arms.len();
        let past: Vec<(f64, f64)> = record.arms.iter().map(|arm| (arm.successes, arm.failures)).collect();
        let decay = 1.0 - 1.0 / (LESSONS_PER_ARM * count.max(1) as f64);
        let seeds_of = |known: &LearnedArm| known.arm.seeds(seeds, recipe.find(&known.arm.strategy));
        let seeds: Vec<Vec<usize>> = record.arms.iter().map(seeds_of).collect();
        let joins = |known: &LearnedArm| {
            recipe.find(&known.arm.strategy).is_some_and(|strategy| strategy.parents() == 2)
        };
        let mut circles: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
        for (known, own) in record.arms.iter().zip(&seeds) {
            let circle = circles.entry(known.arm.theory.clone()).or_default();
            circle.extend(own);
            circle.sort_unstable();
            circle.dedup();
        }
        let shard = recipe.shard();
        let begun = lessons.starts.iter().map(|start| (shard.place_of(start.chain), start.clone()));
        let stream = recipe.stream().child("schedule", 0);
        let mut state = SteeringState {
            stream: if shard.is_whole() { stream } else { stream.child("shard", shard.number()) },
            places: ChainPlaces::InShard(shard),
            lessons_of_others: Vec::new(),
            is_covered: false,
            length: recipe.cases_of(0).end,
            scheduler: Scheduler::new(agent, count).with_decay(decay).with_past(&past),
            seeds,
            joins: record.arms.iter().map(joins).collect(),
            circles,
            earned: lessons.seen.iter().copied().collect(),
            news: Vec::new(),
            queue_news: Vec::new(),
            queue_uses: Vec::new(),
            begun_scripts: BTreeMap::new(),
            begun: begun.filter(|(place, _)| *place >= ended).collect(),
            record,
        };
        let SteeringRecord { applied, lag, .. } = state.record;
        (applied..applied + lag).for_each(|chain| state.plan(chain));
        Steering { state: Mutex::new(state), planned: Condvar::new() }
    }

    /// Learns from new code in place of new behaviour.
    #[must_use]
    pub fn learning_from_code(self) -> Self {
        self.lock().is_covered = true;
        self
    }

    /// Knows the scripts that begun chains started from, by the number of the chain.
    #[must_use]
    pub fn recalling(self, scripts: BTreeMap<u64, QueuedScript>) -> Self {
        self.lock().begun_scripts = scripts;
        self
    }

    /// Waits for the start of a chain, and the script that it starts from if not from its seed; returns `None` if the campaign stops first.
    pub fn start(&self, chain: u64, halt: &AtomicBool) -> Option<(StartRecord, Option<QueuedScript>)> {
        let mut state = self.lock();
        let place = state.places.start(chain);
        loop {
            if let Some(start) = state.begun.get(&place) {
                return Some((start.clone(), state.begun_scripts.get(&chain).cloned()));
            }
            if let Some(PlannedChain { arms, seed, visits, kept }) = state.record.planned.get(&place) {
                let strategies =
                    arms.iter().map(|&arm| state.record.arms[arm].arm.strategy.clone()).collect();
                let (seed, visits, kept) = (*seed, *visits, kept.clone());
                return Some((StartRecord { chain, seed, weights: String::new(), strategies, visits }, kept));
            }
            if halt.load(Ordering::Relaxed) {
                return None;
            }
            if place < state.record.applied {
                state.plan(place);
                continue;
            }
            let waited = self.planned.wait_timeout(state, STOP_POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Learns from a report that the coordinator has counted.
    pub fn told(&self, report: &WorkerReport, known: &KnownBugs) {
        let mut state = self.lock();
        for event in &report.events {
            state.note(event);
        }
        if let Some(kept) = &report.kept
            && let Some(lesson) = state.lesson(kept.case)
        {
            lesson.kept = Some(kept.clone());
        }
        for details in &report.sightings {
            let fingerprint = &*details.finding.fingerprint.to_string();
            if let Some(case) = details.case
                && known.find(&details.finding.fingerprint, &details.script).is_none()
            {
                let seeds: Vec<&str> = match details.finding.kind {
                    FindingKind::Crash => vec![""],
                    _ => std::iter::once(&details.seed)
                        .chain(&details.partners)
                        .map(|(name, _)| &**name)
                        .collect(),
                };
                let identities = seeds.iter().map(|seed| Identity::of(["finding", fingerprint, seed]));
                if let Some(lesson) = state.lesson(case) {
                    lesson.found.push(identities.collect());
                }
            }
        }
        if let Some(record) = report.chain.as_ref().filter(|record| record.next.is_none()) {
            state.end_chain(record.chain);
            self.planned.notify_all();
        }
    }

    /// Continues without a chain that no solver can finish.
    pub fn leave(&self, chain: u64) {
        let mut state = self.lock();
        state.end_chain(chain);
        self.planned.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, SteeringState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SteeringState {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Case { case, seed, runs, .. } => {
                let decided = runs.iter().all(is_decided);
                let is_covered = self.is_covered;
                let Some(lesson) = self.lesson(*case) else { return };
                lesson.extra_cost = extra_cost(runs);
                (lesson.decided, lesson.way) = (decided, decided.then(|| way(seed, runs)));
                lesson.new_code = is_covered.then(|| runs.iter().any(|run| run.new_code > 0));
                lesson.rarity =
                    runs.iter().filter_map(|run| run.changed).map(|changed| changed.rarity).reduce(f64::max);
                self.count(*case);
            }
            // The remaining cases of a chain that has ended are skipped without a strategy.
            Event::Skipped { case, strategy: Some(_), .. } => {
                self.lesson(*case).into_iter().for_each(|lesson| lesson.decided = true);
            }
            _ => {}
        }
    }

    /// Counts a case that was run for its arm. Planned cases that are skipped or never reached do not count.
    fn count(&mut self, case: CaseNumber) {
        let place = self.places.of(case / self.length);
        let planned = place.and_then(|place| self.record.planned.get(&place));
        if let Some(&arm) = planned.and_then(|chain| chain.arms.get((case % self.length) as usize)) {
            self.record.arms[arm].cases += 1;
        }
    }

    /// The lesson of a case; `None` if another process has started its chain.
    fn lesson(&mut self, case: CaseNumber) -> Option<&mut CaseLesson> {
        let chain = self.places.of(case / self.length)?;
        let lessons = self.record.lessons.entry(chain).or_default();
        if lessons.last().is_none_or(|lesson| lesson.case != case) {
            lessons.push(CaseLesson { case, ..CaseLesson::default() });
        }
        lessons.last_mut()
    }

    /// Marks a chain as ended, if this process has started it.
    fn end_chain(&mut self, chain: u64) {
        self.places.of(chain).into_iter().for_each(|place| self.end(place));
    }

    /// Marks the chain at a place as ended; applies its rewards as soon as all earlier chains have ended.
    fn end(&mut self, chain: u64) {
        if chain < self.record.applied {
            // The chain was left out before.
            self.record.lessons.remove(&chain);
            return;
        }
        self.record.ended.insert(chain);
        while self.record.ended.remove(&self.record.applied) {
            let chain = self.record.applied;
            self.apply(chain);
            self.record.applied += 1;
            self.plan(chain + self.record.lag);
        }
    }

    fn apply(&mut self, chain: u64) {
        let lessons = self.record.lessons.remove(&chain).unwrap_or_default();
        let Some(PlannedChain { arms, seed, .. }) = self.record.planned.remove(&chain) else { return };
        // For each arm with a case, whether there was a lesson.
        let mut tried = BTreeMap::new();
        for mut lesson in lessons {
            let arm = arms[(lesson.case % self.length) as usize];
            if let Some(kept) = lesson.kept.take() {
                self.keep(QueuedScript { seed, ..kept });
            }
            let lesson = &lesson;
            let reward = self.reward(lesson);
            lesson.rarity.iter().for_each(|rarity| self.record.promising.learn(seed, *rarity));
            *tried.entry(arm).or_insert(false) |= reward != Reward::Nothing;
            self.scheduler.learn_at_cost(arm, reward, lesson.extra_cost);
        }
        if tried.is_empty() {
            tried.insert(arms[0], false);
        }
        for (arm, _) in tried.into_iter().filter(|(_, is_known)| !is_known) {
            self.scheduler.learn(arm, Reward::Failure);
        }
    }

    fn reward(&mut self, lesson: &CaseLesson) -> Reward {
        let found = lesson.found.iter().filter(|finding| self.is_new(finding)).count();
        let is_new_way = lesson.way.is_some_and(|way| self.earns(way));
        let odds = match (lesson.new_code, lesson.rarity) {
            (Some(true), _) => Some(NEW_CODE_REWARD_ODDS),
            (Some(false), rarity) => rarity.filter(|rarity| *rarity > 0.0).map(|_| NOVELTY_REWARD_ODDS),
            (None, _) => is_new_way.then_some(NOVELTY_REWARD_ODDS),
        };
        let counts = |odds| self.stream.child("news", lesson.case).rng().chance(1, odds);
        match lesson.decided {
            _ if found > 0 => Reward::Success,
            _ if !lesson.found.is_empty() => Reward::Failure,
            false => Reward::Nothing,
            true if odds.is_some_and(counts) => Reward::Success,
            true => Reward::Failure,
        }
    }

    /// Returns true if none of the finding's identities was seen before, and marks them as seen.
    fn is_new(&mut self, finding: &[Identity]) -> bool {
        finding.iter().filter(|identity| !self.earns(**identity)).count() == 0
    }

    /// Returns true the first time that it gets this identity.
    fn earns(&mut self, identity: Identity) -> bool {
        let is_new = self.earned.insert(identity);
        if is_new {
            self.news.push(identity);
        }
        is_new
    }
}

#[cfg(test)]
mod tests;
