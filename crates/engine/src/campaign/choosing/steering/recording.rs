//! What steering leaves in the store: the state of the bandit, and what was learnt since the last batch.

use super::kept::QueuedScript;
use super::leased::ChainPlaces;
use super::{LearnedArm, Steering, SteeringRecord, SteeringState};
use crate::event::ArmReport;
use crate::schedule::{Agent, Scheduler};
use crate::store::{Batch, Lessons};

impl Steering {
    /// Adds the state to a batch for the store, and what was learnt since the last call.
    pub fn record(&self, batch: &mut Batch) {
        let mut state = self.lock();
        state.keep_counts();
        let text = match state.places {
            ChainPlaces::InShard(_) => serde_json::to_string(&state.record),
            ChainPlaces::AsStarted(_) => serde_json::to_string(&state.shared_record()),
        };
        batch.schedule = Some(text.expect("a record is made of what JSON can write"));
        batch.seen.append(&mut state.news);
        batch.queued.extend(state.queue_news.drain(..).map(|script| script.queued()));
        batch.queue_uses.append(&mut state.queue_uses);
    }

    /// The arms, the most promising first.
    pub fn ranking(&self) -> Vec<ArmReport> {
        let mut state = self.lock();
        state.keep_counts();
        ranking(&state.scheduler, &state.record)
    }
}

impl SteeringState {
    /// Adds a script to the queue.
    pub(super) fn keep(&mut self, script: QueuedScript) {
        if matches!(self.places, ChainPlaces::AsStarted(_)) {
            self.queue_news.push(script.clone());
        }
        self.record.kept.keep(script);
    }

    /// Writes what the bandit has learnt to the record.
    pub(super) fn keep_counts(&mut self) {
        let record = self.scheduler.record();
        for (number, arm) in self.record.arms.iter_mut().enumerate() {
            (arm.successes, arm.failures) = record.counts(number);
        }
    }
}

/// The arms of a recorded campaign, the most promising first; empty if no bandit leads it.
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
