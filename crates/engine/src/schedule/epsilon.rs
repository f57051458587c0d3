//! ε-greedy: mostly the best arm so far, sometimes a random one.

use super::Agent;
use super::record::ArmRecord;
use crate::random::Rng;

/// Percentage of choices that are random.
pub const EXPLORE_PERCENT: usize = 10;

/// The ε-greedy agent.
#[derive(Debug)]
pub struct EpsilonGreedy {
    /// Percentage of choices that are random.
    pub explore: usize,
}

impl Agent for EpsilonGreedy {
    fn name(&self) -> &'static str {
        "epsilon"
    }

    fn about(&self) -> &'static str {
        "chooses the best construct so far, and a random one in a tenth of the queries"
    }

    fn choose(&self, record: &ArmRecord, rng: &mut Rng) -> usize {
        if rng.chance(self.explore, 100) {
            return rng.below(record.len());
        }
        let best = (0..record.len()).map(|arm| record.mean(arm)).fold(f64::MIN, f64::max);
        let equals: Vec<usize> = (0..record.len()).filter(|&arm| record.mean(arm) == best).collect();
        rng.choose(&equals).copied().unwrap_or(0)
    }
}
