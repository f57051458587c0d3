//! UCB1: chooses the arm with the highest upper confidence bound (Auer, Cesa-Bianchi and Fischer, 2002).

use super::Agent;
use super::record::ArmRecord;
use crate::random::Rng;

/// The UCB1 agent.
#[derive(Debug)]
pub struct Ucb1;

impl Agent for Ucb1 {
    fn name(&self) -> &'static str {
        "ucb"
    }

    fn about(&self) -> &'static str {
        "chooses the construct with the highest upper confidence bound (UCB1)"
    }

    fn choose(&self, record: &ArmRecord, rng: &mut Rng) -> usize {
        let fresh: Vec<usize> = (0..record.len()).filter(|&arm| record.pulls(arm) == 0.0).collect();
        if let Some(&arm) = rng.choose(&fresh) {
            return arm;
        }
        let total: f64 = (0..record.len()).map(|arm| record.pulls(arm)).sum();
        let bound = |arm: usize| {
            let pulls = record.pulls(arm);
            let successes = record.beta(arm).0 - 1.0;
            successes / pulls + (2.0 * total.max(1.0).ln() / pulls).sqrt()
        };
        let best = (0..record.len()).max_by(|&a, &b| bound(a).total_cmp(&bound(b)).then(b.cmp(&a)));
        best.unwrap_or(0)
    }
}
