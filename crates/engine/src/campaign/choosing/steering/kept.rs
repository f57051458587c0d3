//! Scripts that reached new code are kept, and half of the chains start from one of them: a queue as coverage-guided fuzzers have.
//!
//! The script that the fewest chains started from comes next, of several the newest: its neighbourhood is the least explored. The queue
//! is bounded; when it is full, the script that most chains started from goes.
//!
//! The start of such a chain does not follow from its seed, so the text is recorded before the first case of the chain, in the table of
//! seeds under a key of its own ([`QueuedScript::key`]); `replay` reads it from there.
//!
//! Processes that share a store have one queue, in a table of its own: each records the scripts that it adds and the chains that it starts from one, and now and then
//! reads those of the others.

use serde::{Deserialize, Serialize};

use crate::event::CaseNumber;
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::store::{MAX_QUEUED_SCRIPTS, QueueRecord, SeedRecord};

/// Bytes of a script in the queue, at most; the queue is written with every batch.
pub const MAX_KEPT_BYTES: usize = 10_000;

/// A script that reached new code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedScript {
    /// The case that made it.
    pub case: CaseNumber,
    /// The number of the seed of that case.
    pub seed: usize,
    /// Its answer, if the case promises one.
    pub status: Option<Answer>,
    /// Its text.
    pub text: String,
    /// The number of chains that started from it.
    pub chains: u64,
}

impl QueuedScript {
    /// The key of the record of the script that a chain started from, in place of the hash of a seed.
    pub fn key(chain: u64) -> String {
        format!("chain {chain}")
    }

    /// The record for the store, as the start of a chain.
    pub fn record(&self, chain: u64) -> SeedRecord {
        SeedRecord {
            name: self.description(),
            hash: Self::key(chain),
            text: self.text.clone(),
            values: serde_json::to_string(&(self.case, self.status)).expect("numbers and words"),
        }
    }

    /// Reads the record of the script that a chain of this seed started from.
    pub fn read(record: SeedRecord, seed: usize) -> Option<Self> {
        let (case, status) = serde_json::from_str(&record.values).ok()?;
        Some(QueuedScript { case, seed, status, text: record.text, chains: 0 })
    }

    /// The record for a queue that several processes share.
    pub fn queued(&self) -> QueueRecord {
        let script = serde_json::to_string(self).expect("numbers and words");
        QueueRecord { case: self.case, chains: self.chains, script }
    }

    /// Where the script is from, as a step of the chains that start from it.
    pub fn description(&self) -> String {
        format!("starts from the script of case {}, which reached new code", self.case)
    }
}

/// The queue.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScriptQueue(Vec<QueuedScript>);

impl ScriptQueue {
    /// Reads a queue that several processes share.
    pub fn shared(records: &[QueueRecord]) -> Self {
        let read = |record: &QueueRecord| {
            let script = serde_json::from_str::<QueuedScript>(&record.script).ok()?;
            Some(QueuedScript { chains: record.chains, ..script })
        };
        ScriptQueue(records.iter().filter_map(read).collect())
    }

    /// Joins the queue of another part of the campaign: of all scripts, those that the fewest chains started from stay, of several the newest.
    pub fn join(&mut self, other: ScriptQueue) {
        self.0.extend(other.0);
        self.0.sort_by_key(|kept| (kept.chains, std::cmp::Reverse(kept.case)));
        self.0.truncate(MAX_QUEUED_SCRIPTS);
        self.0.sort_by_key(|kept| kept.case);
    }

    /// Adds a script.
    pub fn keep(&mut self, script: QueuedScript) {
        if self.0.len() >= MAX_QUEUED_SCRIPTS {
            let most = self.0.iter().map(|kept| kept.chains).max();
            if let Some(place) = self.0.iter().position(|kept| Some(kept.chains) == most) {
                self.0.remove(place);
            }
        }
        self.0.push(script);
    }

    /// The script that a chain starts from; `None` if the chain starts from a seed.
    pub fn draw(&mut self, rng: &mut Rng) -> Option<QueuedScript> {
        if self.0.is_empty() || !rng.chance(1, 2) {
            return None;
        }
        let next = self.0.iter_mut().rev().min_by_key(|kept| kept.chains)?;
        next.chains += 1;
        Some(next.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    fn script(case: CaseNumber) -> QueuedScript {
        QueuedScript {
            case,
            seed: 0,
            status: Some(Answer::Sat),
            text: format!("(echo \"{case}\")"),
            chains: 0,
        }
    }

    #[test]
    fn the_least_used_script_comes_next_and_half_of_the_chains_start_from_seeds() {
        let mut rng = RandomStream::new(1).rng();
        let mut kept = ScriptQueue::default();
        assert_eq!(kept.draw(&mut rng), None);
        [4, 9].into_iter().for_each(|case| kept.keep(script(case)));
        let drawn: Vec<Option<u64>> =
            (0..200).map(|_| kept.draw(&mut rng).map(|script| script.case)).collect();
        let cases: Vec<u64> = drawn.iter().copied().flatten().collect();
        assert_eq!(cases[..4], [9, 4, 9, 4]);
        assert!((60..140).contains(&cases.len()), "{drawn:?}");
    }

    #[test]
    fn a_full_queue_drops_the_script_that_most_chains_started_from() {
        let mut kept = ScriptQueue::default();
        (0..MAX_QUEUED_SCRIPTS as u64).for_each(|case| kept.keep(script(case)));
        kept.0[5].chains = 3;
        kept.keep(script(1000));
        assert_eq!(kept.0.len(), MAX_QUEUED_SCRIPTS);
        assert!(kept.0.iter().all(|kept| kept.case != 5) && kept.0.iter().any(|kept| kept.case == 1000));
    }

    #[test]
    fn queues_are_joined_in_any_order_and_the_least_used_scripts_stay() {
        let queue = |cases: std::ops::Range<u64>, chains: u64| {
            ScriptQueue(cases.map(|case| QueuedScript { chains, ..script(case) }).collect())
        };
        let parts = || [queue(0..40, 1), queue(40..80, 0), queue(80..100, 2)];
        let join = |parts: [ScriptQueue; 3]| {
            parts.into_iter().reduce(|mut sum, more| {
                sum.join(more);
                sum
            })
        };
        let [a, b, c] = parts();
        let all = join(parts()).unwrap();
        assert_eq!(all.0, join([c, b, a]).unwrap().0);
        assert_eq!(all.0.len(), MAX_QUEUED_SCRIPTS);
        assert!(all.0.iter().all(|kept| (16..80).contains(&kept.case)), "{all:?}");
        let records: Vec<QueueRecord> = all.0.iter().map(QueuedScript::queued).collect();
        assert_eq!(ScriptQueue::shared(&records).0, all.0);
    }

    #[test]
    fn the_record_of_a_start_is_read_back() {
        assert_eq!(script(7).record(12).hash, "chain 12");
        for status in [None, Some(Answer::Unsat)] {
            let script = QueuedScript { status, ..script(7) };
            assert_eq!(QueuedScript::read(script.record(12), 0), Some(script));
        }
    }
}
