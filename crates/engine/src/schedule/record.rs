//! The successes and failures of arms, and statistics about them.
//!
//! The mean and its interval are those of the posterior Beta distribution with a uniform prior: Beta(1 + s, 1 + f)
//! after s successes and f failures.

use super::beta;

/// The result of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reward {
    /// All runs were decided and showed the behaviour that is searched for.
    Success,
    /// All runs were decided and did not show it.
    Failure,
    /// A run failed, was rejected or lost: it says nothing about the arm.
    Nothing,
}

/// The successes and failures of all arms.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmRecord {
    /// Successes and failures of each.
    arms: Vec<(f64, f64)>,
    /// The factor for earlier results after each reward; 1 forgets nothing.
    decay: f64,
}

/// An arm in the ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmRank {
    /// Its number.
    pub arm: usize,
    /// The expected probability of success.
    pub mean: f64,
    /// The lower end of its 95 % credible interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The number of results, with decay applied.
    pub pulls: f64,
}

impl ArmRecord {
    /// A record without results.
    pub fn new(arms: usize) -> ArmRecord {
        ArmRecord { arms: vec![(0.0, 0.0); arms], decay: 1.0 }
    }

    /// The same with decay.
    #[must_use]
    pub fn with_decay(self, decay: f64) -> ArmRecord {
        ArmRecord { decay, ..self }
    }

    /// The same with earlier successes and failures.
    #[must_use]
    pub fn with_past(mut self, past: &[(f64, f64)]) -> ArmRecord {
        self.arms.iter_mut().zip(past).for_each(|(arm, past)| *arm = *past);
        self
    }

    /// The record of some of the arms.
    #[must_use]
    pub fn only(&self, arms: &[usize]) -> ArmRecord {
        ArmRecord { arms: arms.iter().map(|&arm| self.arms[arm]).collect(), decay: self.decay }
    }

    /// Successes and failures of an arm, with decay applied.
    pub fn counts(&self, arm: usize) -> (f64, f64) {
        self.arms[arm]
    }

    /// The number of arms.
    pub fn len(&self) -> usize {
        self.arms.len()
    }

    /// Whether there are no arms.
    pub fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// Records the result of an arm.
    pub fn learn(&mut self, arm: usize, reward: Reward) {
        if reward == Reward::Nothing {
            return;
        }
        for (successes, failures) in &mut self.arms {
            (*successes, *failures) = (*successes * self.decay, *failures * self.decay);
        }
        match reward {
            Reward::Success => self.arms[arm].0 += 1.0,
            _ => self.arms[arm].1 += 1.0,
        }
    }

    /// Counts this many failures of an arm, without decay of the others.
    pub fn charge(&mut self, arm: usize, failures: f64) {
        self.arms[arm].1 += failures;
    }

    /// The number of results of an arm, with decay applied.
    pub fn pulls(&self, arm: usize) -> f64 {
        self.arms[arm].0 + self.arms[arm].1
    }

    /// Whether any arm ever succeeded.
    pub fn has_success(&self) -> bool {
        self.arms.iter().any(|(successes, _)| *successes > 0.0)
    }

    /// The parameters of the Beta distribution of an arm.
    pub fn beta(&self, arm: usize) -> (f64, f64) {
        (1.0 + self.arms[arm].0, 1.0 + self.arms[arm].1)
    }

    /// The expected probability of success of an arm.
    pub fn mean(&self, arm: usize) -> f64 {
        let (alpha, beta) = self.beta(arm);
        alpha / (alpha + beta)
    }

    /// All arms, the most promising first and those without results last; ties are ordered by number.
    pub fn ranking(&self) -> Vec<ArmRank> {
        let mut ranking: Vec<ArmRank> = (0..self.arms.len()).map(|arm| self.rank(arm)).collect();
        let unknown = |rank: &ArmRank| rank.pulls == 0.0;
        ranking.sort_by(|a, b| {
            unknown(a).cmp(&unknown(b)).then(b.mean.total_cmp(&a.mean)).then(a.arm.cmp(&b.arm))
        });
        ranking
    }

    fn rank(&self, arm: usize) -> ArmRank {
        let (successes, failures) = self.beta(arm);
        let end = |part: f64| beta::quantile(successes, failures, part);
        let (low, high) = (end(0.025), end(0.975));
        ArmRank { arm, mean: self.mean(arm), low, high, pulls: self.pulls(arm) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranking_has_means_inside_of_their_intervals_which_narrow() {
        let mut record = ArmRecord::new(3);
        (0..5).for_each(|_| record.learn(1, Reward::Success));
        (0..100).for_each(|number| {
            record.learn(2, if number % 10 == 0 { Reward::Success } else { Reward::Failure });
        });
        let ranking = record.ranking();
        assert_eq!(
            ranking.iter().map(|rank| rank.arm).collect::<Vec<_>>(),
            [1, 2, 0],
            "arms without trials are last"
        );
        assert!(ranking.iter().all(|rank| rank.low <= rank.mean && rank.mean <= rank.high));
        let width = |rank: &ArmRank| rank.high - rank.low;
        assert!(width(&ranking[1]) < width(&ranking[0]) && width(&ranking[0]) < width(&ranking[2]));
        // The interval of the uniform distribution is known.
        assert!(
            (ranking[2].low - 0.025).abs() < 1e-6 && (ranking[2].high - 0.975).abs() < 1e-6,
            "{ranking:?}"
        );
    }
}
