//! Steering: an agent chooses what each chain is made with, and learns from what the chains before it brought.
//!
//! An arm (`arms.rs`) is chosen for a chain; its theory decides which seeds are next, each in turn. Then an arm is chosen for each
//! step, of those that are given that seed: mutants that several strategies had a hand in show more than those of one alone. A case is a
//!
//! * success if it shows a finding that none showed before and that the user does not know, however often others are seen again.
//!   A crash is known by its fingerprint. That of a wrong answer says little more than who and in which logic, so that on another
//!   seed it is taken for another bug; of seeds that were joined, none must have shown it before;
//! * success, in one of a hundred cases, if all its runs were decided and a solver did what it had not done with this seed: another
//!   answer, or, where its way is looked at, another way. Such news are many and worth little: counted in
//!   full, or one in ten, they drown the findings; left out the agent would know nothing before the first one;
//! * failure if all its runs were decided and it is neither, if all that it shows was found before, or if the strategy could make
//!   nothing;
//! * no lesson if a run was refused, failed, was lost or ran out of time. But a chain without any lesson of an arm is one failure of
//!   it: an arm that is never decided would else be as promising for ever as on the first day.
//!
//! What is learnt fades, the slower the more arms there are, so that an arm whose bugs are all found does not live on its past.
//!
//! Rewards are applied in the order of chains, and the arms of chain n are chosen when exactly the chains up to n - `CHAIN_LAG` are
//! learnt from. So they follow from what solvers did, and neither from the number of workers nor from a kill in between. What a chain
//! is begun with is recorded before any case of it, and who makes a case again goes by the record.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::arms::{Arm, arms};
use crate::campaign::recording::known_bugs::KnownBugs;
use crate::campaign::running::worker::WorkerReport;
use crate::campaign::scripts::recipe::Recipe;
use crate::event::{ArmReport, CaseNumber, Event, RunReport};
use crate::finding::FindingKind;
use crate::random::RandomStream;
use crate::schedule::{Agent, Reward, Scheduler};
use crate::seeds::Seed;
use crate::solver::run::Answer;
use crate::solver::trace::Identity;
use crate::store::{Lessons, StartRecord};

/// Chains that may be under way before a choice waits for the first of them, for up to `JOBS_PER_LAG` workers.
const CHAIN_LAG: u64 = 16;

/// Workers that have to wait for each other seldom with that; with more of them it is as much longer.
const JOBS_PER_LAG: u64 = 4;

/// New ways of solvers count as successes in one of so many cases.
const NOVELTY_REWARD_ODDS: usize = 100;

/// Lessons of its own that an arm remembers, about.
const LESSONS_PER_ARM: f64 = 200.0;

/// Time between two looks at whether the campaign is to end.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What an agent chose, and what it learnt.
#[derive(Debug)]
pub struct Steering {
    state: Mutex<SteeringState>,
    /// Somebody may go on.
    planned: Condvar,
}

#[derive(Debug)]
struct SteeringState {
    stream: RandomStream,
    /// Cases of a chain.
    length: u64,
    scheduler: Scheduler,
    /// The seeds of each arm, in order.
    seeds: Vec<Vec<usize>>,
    /// The seeds of each theory, or of all where arms have none, in order.
    circles: BTreeMap<Option<String>, Vec<usize>>,
    record: SteeringRecord,
    /// What earned something once, and never will again.
    earned: BTreeSet<Identity>,
    /// That part of it that is not recorded yet.
    news: Vec<Identity>,
    /// What chains were begun with that an earlier session has not ended.
    begun: BTreeMap<u64, StartRecord>,
}

/// What is recorded.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SteeringRecord {
    lag: u64,
    /// Chains below this number are learnt from.
    applied: u64,
    arms: Vec<LearnedArm>,
    /// Chains that each theory was chosen for.
    turns: BTreeMap<String, u64>,
    /// What chains from there on are begun with.
    planned: BTreeMap<u64, PlannedChain>,
    /// What came of their cases so far.
    lessons: BTreeMap<u64, Vec<CaseLesson>>,
    /// Those of them that have ended.
    ended: BTreeSet<u64>,
}

/// An arm and what is known of it.
#[derive(Debug, Serialize, Deserialize)]
struct LearnedArm {
    #[serde(flatten)]
    arm: Arm,
    /// Cases that it was chosen for.
    cases: u64,
    successes: f64,
    failures: f64,
}

/// What a chain is begun with.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PlannedChain {
    /// The arm of each step.
    arms: Vec<usize>,
    seed: usize,
    visits: u64,
}

/// What came of a case.
#[derive(Debug, Serialize, Deserialize)]
struct CaseLesson {
    case: CaseNumber,
    /// Whether all runs were.
    decided: bool,
    /// What the solvers did with the seed.
    way: Option<Identity>,
    /// What each finding is known by.
    found: Vec<Vec<Identity>>,
}

impl Steering {
    /// By an agent, for this recipe over these seeds, with what earlier sessions have learnt, which have ended all chains below a
    /// number.
    pub fn new(
        agent: &'static dyn Agent,
        recipe: &Recipe,
        seeds: &[Seed],
        (cases, jobs): (Option<u64>, usize),
        (lessons, ended): (&Lessons, u64),
    ) -> Steering {
        let record = serde_json::from_str(&lessons.schedule).unwrap_or_else(|_| {
            let known = |arm: Arm| LearnedArm { arm, cases: 0, successes: 0.0, failures: 0.0 };
            let arms = arms(recipe.strategies(), seeds, cases).into_iter().map(known).collect();
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
        let mut circles: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
        for (known, own) in record.arms.iter().zip(&seeds) {
            let circle = circles.entry(known.arm.theory.clone()).or_default();
            circle.extend(own);
            circle.sort_unstable();
            circle.dedup();
        }
        let begun = lessons.starts.iter().filter(|start| start.chain >= ended);
        let mut state = SteeringState {
            stream: recipe.stream().child("schedule", 0),
            length: recipe.cases_of(0).end,
            scheduler: Scheduler::new(agent, count).with_decay(decay).with_past(&past),
            seeds,
            circles,
            earned: lessons.seen.iter().copied().collect(),
            news: Vec::new(),
            begun: begun.map(|start| (start.chain, start.clone())).collect(),
            record,
        };
        let SteeringRecord { applied, lag, .. } = state.record;
        (applied..applied + lag).for_each(|chain| state.plan(chain));
        Steering { state: Mutex::new(state), planned: Condvar::new() }
    }

    /// What a chain is begun with; nothing if the campaign is to end before that is known.
    pub fn start(&self, chain: u64, halt: &AtomicBool) -> Option<StartRecord> {
        let mut state = self.lock();
        loop {
            if let Some(start) = state.begun.get(&chain) {
                return Some(start.clone());
            }
            if let Some(PlannedChain { arms, seed, visits }) = state.record.planned.get(&chain) {
                let strategies =
                    arms.iter().map(|&arm| state.record.arms[arm].arm.strategy.clone()).collect();
                let (seed, visits) = (*seed, *visits);
                return Some(StartRecord { chain, seed, weights: String::new(), strategies, visits });
            }
            if halt.load(Ordering::Relaxed) {
                return None;
            }
            if chain < state.record.applied {
                state.plan(chain);
                continue;
            }
            let waited = self.planned.wait_timeout(state, STOP_POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Takes note of what the coordinator counts.
    pub fn told(&self, report: &WorkerReport, known: &KnownBugs) {
        let mut state = self.lock();
        for event in &report.events {
            state.note(event);
        }
        for exhibit in &report.sightings {
            let fingerprint = &*exhibit.finding.fingerprint.to_string();
            if let Some(case) = exhibit.case
                && !known.contain(fingerprint)
            {
                let seeds: Vec<&str> = match exhibit.finding.kind {
                    FindingKind::Crash => vec![""],
                    _ => std::iter::once(&exhibit.seed)
                        .chain(&exhibit.partners)
                        .map(|(name, _)| &**name)
                        .collect(),
                };
                let identities = seeds.iter().map(|seed| Identity::of(["finding", fingerprint, seed]));
                state.lesson(case).found.push(identities.collect());
            }
        }
        if let Some(record) = report.chain.as_ref().filter(|record| record.next.is_none()) {
            state.end(record.chain);
            self.planned.notify_all();
        }
    }

    /// Goes on without a chain that nobody can run to its end.
    pub fn leave(&self, chain: u64) {
        self.lock().end(chain);
        self.planned.notify_all();
    }

    /// What is known, as it is recorded, and what earned something since it was last asked for.
    pub fn record(&self) -> (String, Vec<Identity>) {
        let mut state = self.lock();
        state.keep_counts();
        let text = serde_json::to_string(&state.record).expect("a record is made of what JSON can write");
        (text, std::mem::take(&mut state.news))
    }

    /// The arms, the most promising first.
    pub fn ranking(&self) -> Vec<ArmReport> {
        let mut state = self.lock();
        state.keep_counts();
        ranking(&state.scheduler, &state.record)
    }

    fn lock(&self) -> MutexGuard<'_, SteeringState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The arms of a campaign by its record, the most promising first; none if no agent leads it.
pub fn recorded(agent: Option<&'static dyn Agent>, lessons: &Lessons) -> Vec<ArmReport> {
    let (Some(agent), Ok(record)) = (agent, serde_json::from_str::<SteeringRecord>(&lessons.schedule)) else {
        return Vec::new();
    };
    let past: Vec<(f64, f64)> = record.arms.iter().map(|arm| (arm.successes, arm.failures)).collect();
    ranking(&Scheduler::new(agent, past.len()).with_past(&past), &record)
}

fn ranking(scheduler: &Scheduler, record: &SteeringRecord) -> Vec<ArmReport> {
    let report = |rank: crate::schedule::ArmRank| {
        let LearnedArm { arm, cases, .. } = &record.arms[rank.arm];
        ArmReport {
            strategy: arm.strategy.clone(),
            theory: arm.theory.clone(),
            cases: *cases,
            pulls: rank.pulls,
            mean: rank.mean,
            low: rank.low,
            high: rank.high,
        }
    };
    scheduler.record().ranking().into_iter().map(report).collect()
}

impl SteeringState {
    /// Chooses what a chain is begun with, unless that was done before.
    fn plan(&mut self, chain: u64) {
        if self.record.planned.contains_key(&chain) {
            return;
        }
        let first = self.choose(chain);
        let theory = self.record.arms[first].arm.theory.clone();
        let (seed, visits) = self.turn(&theory);
        let is_fit = |&arm: &usize| {
            self.record.arms[arm].arm.theory == theory && self.seeds[arm].binary_search(&seed).is_ok()
        };
        let fit: Vec<usize> = (0..self.record.arms.len()).filter(is_fit).collect();
        let mut rng = self.stream.child("steps", chain).rng();
        let mut arms: Vec<usize> =
            (0..self.length).map(|_| self.scheduler.choose_of(&fit, &mut rng)).collect();
        if fit.contains(&first) {
            arms[0] = first;
        }
        arms.iter().for_each(|&arm| self.record.arms[arm].cases += 1);
        self.record.planned.insert(chain, PlannedChain { arms, seed, visits });
    }

    /// The next seed of a theory, or of all of them, and how often it had its turn before: all in rounds, each in an order of its own.
    fn turn(&mut self, theory: &Option<String>) -> (usize, u64) {
        let mut order = self.circles[theory].clone();
        let name = theory.as_deref().unwrap_or("all");
        let turns = self.record.turns.entry(name.to_owned()).or_default();
        let (round, place) = (*turns / order.len() as u64, *turns % order.len() as u64);
        *turns += 1;
        self.stream.child(name, 0).child("round", round).rng().shuffle(&mut order);
        (order[place as usize], round)
    }

    /// Every arm once, in any order, then as the agent says.
    fn choose(&self, chain: u64) -> usize {
        let arms = self.record.arms.len();
        if chain < arms as u64 {
            let mut order: Vec<usize> = (0..arms).collect();
            self.stream.child("first", 0).rng().shuffle(&mut order);
            return order[chain as usize];
        }
        self.scheduler.choose(&mut self.stream.child("choice", chain).rng())
    }

    fn note(&mut self, event: &Event) {
        match event {
            Event::Case { case, seed, runs, .. } => {
                let decided = runs.iter().all(is_decided);
                let lesson = self.lesson(*case);
                (lesson.decided, lesson.way) = (decided, decided.then(|| way(seed, runs)));
            }
            // The rest of a chain that has ended is skipped as well, by nobody.
            Event::Skipped { case, strategy: Some(_), .. } => self.lesson(*case).decided = true,
            _ => {}
        }
    }

    /// The lesson of a case.
    fn lesson(&mut self, case: CaseNumber) -> &mut CaseLesson {
        let lessons = self.record.lessons.entry(case / self.length).or_default();
        if lessons.last().is_none_or(|lesson| lesson.case != case) {
            lessons.push(CaseLesson { case, decided: false, way: None, found: Vec::new() });
        }
        lessons.last_mut().expect("it was put there")
    }

    /// A chain has ended: learns from it as soon as all before it have.
    fn end(&mut self, chain: u64) {
        if chain < self.record.applied {
            // Somebody went on without it.
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
        let Some(PlannedChain { arms, .. }) = self.record.planned.remove(&chain) else { return };
        // Whether something was learnt of those that had a case.
        let mut tried = BTreeMap::new();
        for lesson in &lessons {
            let arm = arms[(lesson.case % self.length) as usize];
            let reward = self.reward(lesson);
            *tried.entry(arm).or_insert(false) |= reward != Reward::Nothing;
            self.scheduler.learn(arm, reward);
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
        let news = lesson.way.is_some_and(|way| self.earns(way));
        let counts = || self.stream.child("news", lesson.case).rng().chance(1, NOVELTY_REWARD_ODDS);
        match lesson.decided {
            _ if found > 0 => Reward::Success,
            _ if !lesson.found.is_empty() => Reward::Failure,
            false => Reward::Nothing,
            true if news && counts() => Reward::Success,
            true => Reward::Failure,
        }
    }

    /// Whether a finding is new by all that it is known by, which it is no more.
    fn is_new(&mut self, finding: &[Identity]) -> bool {
        finding.iter().filter(|identity| !self.earns(**identity)).count() == 0
    }

    /// Whether this earns something: once.
    fn earns(&mut self, identity: Identity) -> bool {
        let is_new = self.earned.insert(identity);
        if is_new {
            self.news.push(identity);
        }
        is_new
    }

    fn keep_counts(&mut self) {
        let record = self.scheduler.record();
        for (number, arm) in self.record.arms.iter_mut().enumerate() {
            (arm.successes, arm.failures) = record.counts(number);
        }
    }
}

fn is_decided(run: &RunReport) -> bool {
    run.trouble.is_none() && run.answers.last().is_some_and(|answer| *answer != Answer::Unknown)
}

/// What solvers did with a case of a seed. How long it took them is chance, and must not decide what is chosen.
fn way(seed: &str, runs: &[RunReport]) -> Identity {
    let mut words = vec!["way".to_owned(), seed.to_owned()];
    for run in runs {
        words.push(run.solver.clone());
        words.extend(run.answers.iter().map(|answer| answer.name().to_owned()));
        words.extend(run.behaviour.iter().map(|behaviour| behaviour.identity.to_string()));
    }
    Identity::of(words.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule;
    use crate::strategy::operators::Operators;
    use crate::strategy::value::ConstantSource;
    use crate::strategy::{self, CaseBounds, FusionKit, Kit};
    use gainsay_smt::Signature;

    /// By Thompson sampling, for these strategies over seeds of these sorts, chains of four.
    fn steering(strategies: &[&str], sorts: &[&str], cases: Option<u64>) -> Steering {
        let signature = Signature::standard();
        let kit = Kit {
            bounds: CaseBounds { bytes: 1000, depth: 10 },
            operators: Operators::standard(&signature),
            fusion: FusionKit::default(),
            values: ConstantSource::Random,
        };
        let strategies = strategies.iter().map(|name| strategy::find(name).unwrap()).collect();
        let recipe = Recipe::new(1, 4, strategies, kit);
        let seed = |(number, sorts): (usize, &&str)| Seed {
            name: number.to_string(),
            path: number.to_string().into(),
            hash: number.to_string(),
            status: None,
            sorts: (*sorts).to_owned(),
            is_horn: *sorts == "horn",
            bytes: 10,
        };
        let seeds: Vec<Seed> = sorts.iter().enumerate().map(seed).collect();
        let thompson = schedule::find("thompson").unwrap();
        Steering::new(thompson, &recipe, &seeds, (cases, 1), (&Lessons::default(), 0))
    }

    /// What its first chains are begun with.
    fn starts(strategies: &[&str], sorts: &[&str], cases: Option<u64>) -> Vec<StartRecord> {
        let steering = steering(strategies, sorts, cases);
        let halt = AtomicBool::new(true);
        (0..CHAIN_LAG).map(|chain| steering.start(chain, &halt).unwrap()).collect()
    }

    #[test]
    fn every_seed_has_its_turn_before_one_comes_again() {
        let starts = starts(&["operator", "value"], &["Int", "String", "Real"], Some(100));
        for (number, round) in starts.chunks(3).enumerate() {
            let seeds: BTreeSet<usize> = round.iter().map(|start| start.seed).collect();
            assert_eq!(seeds.len(), round.len(), "{round:?}");
            assert!(round.iter().all(|start| start.visits == number as u64), "{round:?}");
        }
    }

    #[test]
    fn each_step_has_a_strategy_that_can_do_something_with_the_seed() {
        let starts = starts(&["operator", "value", "horn"], &["Int", "horn"], None);
        assert!(starts.iter().all(|start| start.strategies.len() == 4), "{starts:?}");
        let used = |seed: usize| -> BTreeSet<&str> {
            let own = starts.iter().filter(|start| start.seed == seed);
            own.flat_map(|start| &start.strategies).map(String::as_str).collect()
        };
        assert_eq!(used(0), BTreeSet::from(["operator", "value"]));
        assert_eq!(used(1), BTreeSet::from(["horn", "operator", "value"]));
    }

    #[test]
    fn the_same_campaign_is_begun_in_the_same_way() {
        let begin = || starts(&["operator", "value", "fusion"], &["Int", "String", "Int"], None);
        assert_eq!(begin(), begin());
    }

    #[test]
    fn a_finding_is_new_once_and_only_if_no_seed_of_it_showed_it_before() {
        let steering = steering(&["operator"], &["Int"], None);
        let [a, b, c] = ["a", "b", "c"].map(|seed| Identity::of(["finding", "refutation z3 QF_S", seed]));
        let is_new = |finding: &[Identity]| steering.lock().is_new(finding);
        assert!(is_new(&[a]) && !is_new(&[a]));
        assert!(!is_new(&[a, b]), "a showed it");
        assert!(!is_new(&[b]), "and b has, with a");
        assert!(is_new(&[c]));
    }
}
