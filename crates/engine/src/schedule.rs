//! Scheduling: multi-armed bandits that choose the next strategy or construct and learn from the results.
//!
//! An arm is a number: that of a construct, a strategy, or another choice. An agent knows no solver, and the same
//! stream and rewards give the same choices. All agents keep the same record of each arm, successes and failures, so
//! that the final ranking does not depend on the agent.

mod beta;
pub mod choice;
mod epsilon;
mod random;
pub mod record;
mod thompson;
mod ucb;

use crate::random::Rng;
pub use choice::Schedule;
pub use record::{ArmRank, ArmRecord, Reward};

/// Every agent, by name.
pub const ALL: &[&dyn Agent] = &[
    &thompson::ThompsonSampling,
    &ucb::Ucb1,
    &epsilon::EpsilonGreedy { explore: epsilon::EXPLORE_PERCENT },
    &random::UniformRandom,
];

/// A bandit algorithm.
pub trait Agent: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// How it chooses, in one line.
    fn about(&self) -> &'static str;
    /// Chooses the next arm, given the record of all arms.
    fn choose(&self, record: &ArmRecord, rng: &mut Rng) -> usize;
}

impl std::fmt::Debug for dyn Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// An agent with its record.
#[derive(Debug, Clone)]
pub struct Scheduler {
    agent: &'static dyn Agent,
    record: ArmRecord,
}

impl Scheduler {
    /// An agent for this number of arms.
    pub fn new(agent: &'static dyn Agent, arms: usize) -> Scheduler {
        Scheduler { agent, record: ArmRecord::new(arms) }
    }

    /// The same with decay: after each reward, earlier results count `decay` times as much (1 forgets nothing).
    #[must_use]
    pub fn with_decay(self, decay: f64) -> Scheduler {
        Scheduler { record: self.record.with_decay(decay), ..self }
    }

    /// The same with earlier successes and failures.
    #[must_use]
    pub fn with_past(self, past: &[(f64, f64)]) -> Scheduler {
        Scheduler { record: self.record.with_past(past), ..self }
    }

    /// Replaces the successes and failures of all arms.
    pub fn set_past(&mut self, past: &[(f64, f64)]) {
        self.record = self.record.clone().with_past(past);
    }

    /// Chooses the next arm.
    pub fn choose(&self, rng: &mut Rng) -> usize {
        self.agent.choose(&self.record, rng)
    }

    /// Chooses one of these arms, of which there is at least one.
    pub fn choose_of(&self, arms: &[usize], rng: &mut Rng) -> usize {
        arms[self.agent.choose(&self.record.only(arms), rng)]
    }

    /// Records the result of an arm.
    pub fn learn(&mut self, arm: usize, reward: Reward) {
        self.record.learn(arm, reward);
    }

    /// Records the result of a case that cost more than an ordinary one, by this many ordinary cases.
    pub fn learn_at_cost(&mut self, arm: usize, reward: Reward, extra: f64) {
        self.record.learn(arm, reward);
        self.record.charge(arm, extra);
    }

    /// The record of all arms.
    pub fn record(&self) -> &ArmRecord {
        &self.record
    }
}

/// The agent with this name.
pub fn find(name: &str) -> Option<&'static dyn Agent> {
    ALL.iter().copied().find(|agent| agent.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    /// How often each of three arms is chosen, with success probabilities of 10, 20 and 60 percent.
    fn choices(scheduler: &mut Scheduler, rounds: usize, seed: u64) -> [usize; 3] {
        let mut rng = RandomStream::new(seed).rng();
        let mut counts = [0; 3];
        for _ in 0..rounds {
            let arm = scheduler.choose(&mut rng);
            counts[arm] += 1;
            let success = rng.chance([10, 20, 60][arm], 100);
            scheduler.learn(arm, if success { Reward::Success } else { Reward::Failure });
        }
        counts
    }

    #[test]
    fn every_agent_but_the_random_one_finds_the_best_arm() {
        for agent in ALL {
            for seed in 0..5 {
                let counts = choices(&mut Scheduler::new(*agent, 3), 1000, seed);
                let best = counts[2];
                let expected = if agent.name() == "random" { 270..400 } else { 600..1000 };
                assert!(expected.contains(&best), "{}: {counts:?}", agent.name());
            }
        }
    }

    #[test]
    fn the_same_stream_and_rewards_give_the_same_choices() {
        for agent in ALL {
            let run = || choices(&mut Scheduler::new(*agent, 3), 200, 7);
            assert_eq!(run(), run(), "{}", agent.name());
        }
    }

    #[test]
    fn nothing_is_learnt_from_what_was_not_decided() {
        for agent in ALL {
            let mut scheduler = Scheduler::new(*agent, 2);
            (0..50).for_each(|_| scheduler.learn(1, Reward::Nothing));
            assert_eq!(scheduler.record().pulls(1), 0.0, "{}", agent.name());
        }
    }

    #[test]
    fn an_arm_whose_cases_cost_more_must_succeed_more_often() {
        let mut scheduler = Scheduler::new(find("thompson").unwrap(), 2);
        for number in 0..1000 {
            let reward = |odds| if number % odds == 0 { Reward::Success } else { Reward::Failure };
            scheduler.learn_at_cost(0, reward(10), 4.0);
            scheduler.learn_at_cost(1, reward(20), 0.0);
        }
        let (dear, cheap) = (scheduler.record().mean(0), scheduler.record().mean(1));
        assert!((0.015..0.025).contains(&dear) && (0.04..0.06).contains(&cheap), "{dear} {cheap}");
    }

    #[test]
    fn with_decay_an_arm_that_was_good_once_is_forgotten() {
        let thompson = find("thompson").unwrap();
        let mut scheduler = Scheduler::new(thompson, 2).with_decay(0.9);
        (0..100).for_each(|_| scheduler.learn(0, Reward::Success));
        (0..100).for_each(|_| scheduler.learn(0, Reward::Failure));
        assert!(scheduler.record().mean(0) < 0.2, "{}", scheduler.record().mean(0));
    }

    #[test]
    fn one_arm_is_chosen_whatever_happens() {
        for agent in ALL {
            assert_eq!(choices_of_one(*agent), 0, "{}", agent.name());
        }
    }

    fn choices_of_one(agent: &'static dyn Agent) -> usize {
        let mut scheduler = Scheduler::new(agent, 1);
        let mut rng = RandomStream::new(1).rng();
        (0..20).for_each(|_| scheduler.learn(0, Reward::Failure));
        scheduler.choose(&mut rng)
    }
}
