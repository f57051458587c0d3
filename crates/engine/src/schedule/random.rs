//! Uniform choice: the baseline for the other agents.

use super::Agent;
use super::record::ArmRecord;
use crate::random::Rng;

/// The agent that chooses uniformly.
#[derive(Debug)]
pub struct UniformRandom;

impl Agent for UniformRandom {
    fn name(&self) -> &'static str {
        "random"
    }

    fn about(&self) -> &'static str {
        "chooses constructs uniformly at random"
    }

    fn choose(&self, record: &ArmRecord, rng: &mut Rng) -> usize {
        rng.below(record.len())
    }
}
