//! A bandit that leads chains of a store that other processes share.
//!
//! Each process learns from the chains that it has started, in the order in which it started them, and records what it has learnt by itself. Now and then it reads the
//! records of the others and adds their lessons to its own; the queue of scripts that reached new code is one for all. So choices depend on the time, as they depend on the behaviour of solvers; the start of each chain is
//! recorded before its first case, and a process that takes over a chain goes on from that record.

use std::collections::BTreeMap;

use super::kept::ScriptQueue;
use super::{LearnedArm, Steering, SteeringRecord, SteeringState};
use crate::campaign::shard::Shard;
use crate::store::{QueueRecord, SharedLessons};

/// How a bandit counts the chains that it leads.
#[derive(Debug)]
pub(super) enum ChainPlaces {
    /// By their places in a shard.
    InShard(Shard),
    /// In the order in which this process started them, since others make the chains between.
    AsStarted(BTreeMap<u64, u64>),
}

impl ChainPlaces {
    /// The place of a chain; `None` if this process has not started it.
    pub(super) fn of(&self, chain: u64) -> Option<u64> {
        match self {
            ChainPlaces::InShard(shard) => Some(shard.place_of(chain)),
            ChainPlaces::AsStarted(places) => places.get(&chain).copied(),
        }
    }

    /// The place of a chain that is about to start.
    pub(super) fn start(&mut self, chain: u64) -> u64 {
        match self {
            ChainPlaces::InShard(shard) => shard.place_of(chain),
            ChainPlaces::AsStarted(places) => {
                let next = places.len() as u64;
                *places.entry(chain).or_insert(next)
            }
        }
    }
}

impl Steering {
    /// Leads chains that are leased, with draws of this session, and knows the records of other processes.
    #[must_use]
    pub fn leased(self, session: u64, others: &SharedLessons) -> Self {
        {
            let mut state = self.lock();
            state.places = ChainPlaces::AsStarted(BTreeMap::new());
            state.stream = state.stream.child("worker", session);
            (state.record.planned, state.record.turns) = Default::default();
            state.learn_from(others);
            (0..state.record.lag).for_each(|place| state.plan(place));
        }
        self
    }

    /// Learns from the records of other processes, as they are now.
    pub fn learn_from(&self, others: &SharedLessons) {
        self.lock().learn_from(others);
    }
}

impl SteeringState {
    fn learn_from(&mut self, others: &SharedLessons) {
        self.earned.extend(&others.seen);
        let records = others.schedules.iter().filter_map(|text| serde_json::from_str(text).ok());
        let records: Vec<SteeringRecord> = records.collect();
        self.record.promising.learn_from(records.iter().map(|record| &record.promising));
        self.learn_queue(&others.queue);
        self.add_lessons(records);
    }

    /// Takes the queue of all processes, and keeps own scripts that are not recorded yet.
    fn learn_queue(&mut self, queue: &[QueueRecord]) {
        self.record.kept = ScriptQueue::shared(queue);
        self.queue_news.iter().for_each(|script| self.record.kept.keep(script.clone()));
    }

    fn add_lessons(&mut self, records: Vec<SteeringRecord>) {
        self.keep_counts();
        let own = self.own_lessons();
        self.lessons_of_others = vec![(0.0, 0.0); self.record.arms.len()];
        for more in records.into_iter().flat_map(|record| record.arms) {
            let place = self.record.arms.iter().position(|known| known.arm == more.arm);
            if let Some(sum) = place.and_then(|place| self.lessons_of_others.get_mut(place)) {
                *sum = (sum.0 + more.successes, sum.1 + more.failures);
            }
        }
        let add = |(own, other): (&(f64, f64), &(f64, f64))| (own.0 + other.0, own.1 + other.1);
        let all: Vec<(f64, f64)> = own.iter().zip(&self.lessons_of_others).map(add).collect();
        self.scheduler.set_past(&all);
        self.keep_counts();
    }

    /// The successes and failures of each arm that this process has seen itself. Decay takes from all lessons alike.
    fn own_lessons(&self) -> Vec<(f64, f64)> {
        let none = (0.0, 0.0);
        let others = self.lessons_of_others.iter().chain(std::iter::repeat(&none));
        let own = |(arm, other): (&LearnedArm, &(f64, f64))| {
            ((arm.successes - other.0).max(0.0), (arm.failures - other.1).max(0.0))
        };
        self.record.arms.iter().zip(others).map(own).collect()
    }

    /// The part of the record that other processes read: own lessons alone, so that they can be added.
    pub(super) fn shared_record(&self) -> SteeringRecord {
        let own = self.record.arms.iter().zip(self.own_lessons());
        let arms = own.map(|(known, (successes, failures))| LearnedArm {
            arm: known.arm.clone(),
            cases: known.cases,
            successes,
            failures,
        });
        SteeringRecord {
            lag: self.record.lag,
            arms: arms.collect(),
            turns: self.record.turns.clone(),
            promising: self.record.promising.clone(),
            ..SteeringRecord::default()
        }
    }
}
