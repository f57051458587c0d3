//! Coercion: decides which monitor to make true or false next, and learns from the answers.
//!
//! Every monitor is coerced both ways, in random order, until all are done or the budget is used up: alone, together
//! with another, or together with all assertions of the script, so that the values lie where the script's own answer is
//! about to change. An impossible goal is remembered and not tried again. If a model has no new values, other values
//! are asked for once.
//!
//! One model gives several fillings: values for all holes, for those that the monitor depends on, and for one of these.
//! Solvers give the other holes arbitrary values, mostly zero, and a script of zeros has little in common with the
//! seed.

use std::collections::HashSet;

use super::monitor::{Monitor, Monitors};
use super::random;
use super::skeleton::{HoleContent, Skeleton};
use super::{CoercionCounts, Filling, Fillings, NoValuesReason};
use crate::random::Rng;

/// Consecutive failures, or timeouts, after which the solver is not asked any more.
const MAX_FAILURES: u32 = 3;

/// Holes whose present values a query for other values excludes.
const MAX_BLOCKED_HOLES: usize = 20;

/// Finds models of monitors: a solver, or a fake in tests.
pub trait ModelFinder {
    /// Asks for values of the open holes such that all these terms hold.
    fn ask(&mut self, goals: &[&str]) -> FinderReply;
    /// CPU time used so far, in microseconds.
    fn micros(&self) -> u64;
}

/// The answer of a model finder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinderReply {
    /// A literal for each hole; `None` for a hole that is not open or whose value cannot be written.
    Values(Filling),
    /// The terms are unsatisfiable.
    Unsat,
    /// The answer is unknown.
    Unknown,
    /// The query timed out.
    TimedOut,
    /// The query failed, and why.
    Failed(NoValuesReason),
}

/// A monitor and the truth value to give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct CoercionGoal {
    monitor: usize,
    truth: bool,
}

struct CoercionSweep<'a> {
    skeleton: &'a Skeleton,
    monitors: &'a [Monitor],
    /// The monitor of all assertions.
    whole: Option<usize>,
    helper: &'a mut dyn ModelFinder,
    asks: u32,
    impossible: HashSet<CoercionGoal>,
    known: HashSet<Filling>,
    failures: u32,
    last_failure: Option<NoValuesReason>,
    found: Fillings,
}

/// Asks for values of the holes of a skeleton, at most `asks` times.
pub fn coerce(
    skeleton: &Skeleton,
    monitors: &Monitors,
    helper: &mut dyn ModelFinder,
    asks: u32,
    rng: &mut Rng,
) -> Fillings {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let account = CoercionCounts {
        holes: count(skeleton.holes.len()),
        monitors: count(monitors.list.len()),
        unmonitored: count(monitors.unmonitored),
        ..CoercionCounts::default()
    };
    let mut sweep = CoercionSweep {
        skeleton,
        monitors: &monitors.list,
        whole: monitors.whole,
        helper,
        asks,
        impossible: HashSet::new(),
        known: HashSet::from([vec![None; skeleton.holes.len()]]),
        failures: 0,
        last_failure: None,
        found: Fillings { account, ..Fillings::default() },
    };
    sweep.run(rng);
    sweep.end()
}

impl CoercionSweep<'_> {
    fn run(&mut self, rng: &mut Rng) {
        let mut goals: Vec<CoercionGoal> = (0..self.monitors.len())
            .flat_map(|monitor| [true, false].map(|truth| CoercionGoal { monitor, truth }))
            .collect();
        rng.shuffle(&mut goals);
        for &goal in &goals {
            let second = match rng.below(4) {
                0 => Some(goals[rng.below(goals.len())]),
                1 => self.whole.map(|monitor| CoercionGoal { monitor, truth: true }),
                _ => None,
            };
            let second =
                second.filter(|other| other.monitor != goal.monitor && !self.impossible.contains(other));
            let together: Vec<CoercionGoal> = std::iter::once(goal).chain(second).collect();
            let reply = self.coerce(&together, rng);
            // Two goals may contradict each other; then the first is tried alone.
            if reply == Some(FinderReply::Unsat) && second.is_some() {
                self.coerce(&[goal], rng);
            }
            if self.is_over() {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        let account = &self.found.account;
        account.asked >= self.asks || self.failures >= MAX_FAILURES || account.timeouts >= MAX_FAILURES
    }

    /// Asks for a model of some goals, and keeps its values.
    fn coerce(&mut self, goals: &[CoercionGoal], rng: &mut Rng) -> Option<FinderReply> {
        let term = |goal: &CoercionGoal| {
            let monitor = &self.monitors[goal.monitor];
            if goal.truth { monitor.yes.as_str() } else { monitor.no.as_str() }
        };
        let terms: Vec<&str> = goals.iter().map(term).collect();
        let reply = self.ask(&terms)?;
        match &reply {
            FinderReply::Unsat if goals.len() == 1 => drop(self.impossible.insert(goals[0])),
            FinderReply::Values(values) => {
                let near: HashSet<usize> =
                    goals.iter().flat_map(|goal| self.monitors[goal.monitor].holes.iter().copied()).collect();
                if !self.keep_some(values, &near, rng) {
                    let other = self.others(values, &near);
                    let terms: Vec<&str> = terms.iter().copied().chain([other.as_str()]).collect();
                    let again = self.ask(&terms);
                    let is_new = matches!(&again, Some(FinderReply::Values(values)) if self.keep_some(values, &near, rng));
                    self.found.account.repeated += u32::from(!is_new);
                }
            }
            _ => {}
        }
        Some(reply)
    }

    /// Asks and counts; `None` if the budget is used up.
    fn ask(&mut self, terms: &[&str]) -> Option<FinderReply> {
        if self.is_over() {
            return None;
        }
        let reply = self.helper.ask(terms);
        let account = &mut self.found.account;
        account.asked += 1;
        let (counter, failure) = match &reply {
            FinderReply::Values(_) => (&mut account.sat, None),
            FinderReply::Unsat => (&mut account.unsat, None),
            FinderReply::Unknown => (&mut account.unknown, None),
            FinderReply::TimedOut => (&mut account.timeouts, Some(NoValuesReason::TimedOut)),
            FinderReply::Failed(why) => (&mut account.failed, Some(*why)),
        };
        *counter += 1;
        self.failures = if failure.is_some() { self.failures + 1 } else { 0 };
        self.last_failure = failure.or(self.last_failure);
        Some(reply)
    }

    /// Keeps the values of one relevant hole, of all relevant holes, and of all holes, if they are new. Returns true if
    /// any is.
    fn keep_some(&mut self, values: &Filling, near: &HashSet<usize>, rng: &mut Rng) -> bool {
        let changed = |hole: &usize| near.contains(hole) && values[*hole].is_some();
        let changed: Vec<usize> = (0..values.len()).filter(changed).collect();
        let one = rng.choose(&changed).copied();
        let is_one_new = self.keep(values, |hole| Some(hole) == one, rng);
        let is_near_new = self.keep(values, |hole| near.contains(&hole), rng);
        let is_all_new = self.keep(values, |_| true, rng);
        is_one_new || is_near_new || is_all_new
    }

    /// Keeps the values of some holes, if they are new.
    fn keep(&mut self, values: &Filling, is_reached: impl Fn(usize) -> bool, rng: &mut Rng) -> bool {
        let reached = values.iter().enumerate();
        let mut filling: Filling =
            reached.map(|(hole, value)| value.clone().filter(|_| is_reached(hole))).collect();
        if !self.known.insert(filling.clone()) {
            return false;
        }
        let fixed: Vec<usize> =
            (0..filling.len()).filter(|&hole| self.skeleton.holes[hole].takes != HoleContent::Term).collect();
        if let Some(&hole) = rng.choose(&fixed).filter(|_| rng.chance(1, 4)) {
            let old = &self.skeleton.holes[hole].constant;
            filling[hole] = random::literal(&self.skeleton.holes[hole], rng).filter(|text| **text != **old);
        }
        self.found.list.push(filling);
        true
    }

    /// A term that says that some relevant hole has another value.
    fn others(&self, values: &Filling, near: &HashSet<usize>) -> String {
        let mut terms = String::from("(or false");
        let holes = self.skeleton.holes.iter().zip(values).enumerate();
        let open =
            holes.filter(|(number, (hole, _))| near.contains(number) && hole.takes == HoleContent::Term);
        for (_, (hole, value)) in open.take(MAX_BLOCKED_HOLES) {
            let value = value.as_deref().unwrap_or(&hole.constant);
            terms += &format!(" (not (= {} {value}))", hole.name);
        }
        terms + ")"
    }

    fn end(mut self) -> Fillings {
        self.found.account.micros = self.helper.micros();
        let account = &self.found.account;
        if self.found.list.is_empty() {
            let why = match (self.monitors.is_empty(), self.last_failure) {
                (true, _) => NoValuesReason::NothingDepends,
                (false, Some(failure)) => failure,
                (false, None) if account.unknown > 0 => NoValuesReason::Unknown,
                (false, None) if account.sat > 0 => NoValuesReason::Repeated,
                (false, None) => NoValuesReason::Impossible,
            };
            self.found.why = Some(why);
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::value::monitor::monitors;
    use gainsay_smt::{Script, Signature};

    /// Answers from a list, over and over, and records the queries.
    struct Recorder {
        replies: Vec<FinderReply>,
        asked: Vec<Vec<String>>,
    }

    impl ModelFinder for Recorder {
        fn ask(&mut self, goals: &[&str]) -> FinderReply {
            self.asked.push(goals.iter().map(|goal| (*goal).to_owned()).collect());
            self.replies[(self.asked.len() - 1) % self.replies.len()].clone()
        }

        fn micros(&self) -> u64 {
            7
        }
    }

    const TEST_SEED: &str = "(declare-const x Int)(assert (or (< x 3) (= x 9)))(check-sat)";

    fn sweep(replies: Vec<FinderReply>, asks: u32) -> (Fillings, Recorder) {
        let script = Script::parse(TEST_SEED, &Signature::standard()).unwrap();
        let skeleton = Skeleton::of(&script).unwrap();
        let mut helper = Recorder { replies, asked: Vec::new() };
        let mut rng = RandomStream::new(3).rng();
        let monitors = monitors(&skeleton, &[], &mut rng);
        (coerce(&skeleton, &monitors, &mut helper, asks, &mut rng), helper)
    }

    fn values(first: &str, second: &str) -> FinderReply {
        FinderReply::Values(vec![Some(first.into()), Some(second.into())])
    }

    #[test]
    fn every_monitor_is_coerced_both_ways() {
        let replies = (0..50).map(|number| values(&number.to_string(), "5")).collect();
        let (found, helper) = sweep(replies, 100);
        for goal in ["(< x hole!0)", "(not (< x hole!0))", "(= x hole!1)", "(not (= x hole!1))"] {
            assert!(helper.asked.iter().any(|goals| goals[0] == goal), "{goal}");
        }
        assert_eq!((found.account.holes, found.account.monitors, found.account.micros), (2, 3, 7));
        assert_eq!(found.account.asked, found.account.sat);
        assert_eq!(found.why, None);
    }

    #[test]
    fn a_model_that_says_nothing_new_is_asked_for_other_values_once() {
        let (found, helper) = sweep(vec![values("1", "2")], 100);
        let distinct: HashSet<&Filling> = found.list.iter().collect();
        assert_eq!(distinct.len(), found.list.len());
        assert!(found.account.repeated > 0);
        assert!(
            helper.asked.iter().any(|goals| goals.last().unwrap().starts_with("(or false (not (= hole!"))
        );
    }

    #[test]
    fn the_budget_is_kept_and_failures_end_the_sweep() {
        assert_eq!(sweep(vec![values("1", "2")], 2).0.account.asked, 2);
        let (found, _) = sweep(vec![FinderReply::Failed(NoValuesReason::Died)], 100);
        assert_eq!((found.account.asked, found.account.failed), (3, 3));
        assert_eq!(found.why, Some(NoValuesReason::Died));
        let (found, _) = sweep(vec![FinderReply::TimedOut], 100);
        assert_eq!(found.why, Some(NoValuesReason::TimedOut));
        assert_eq!(sweep(vec![FinderReply::Unknown], 100).0.why, Some(NoValuesReason::Unknown));
        assert_eq!(sweep(vec![FinderReply::Unsat], 100).0.why, Some(NoValuesReason::Impossible));
    }
}
