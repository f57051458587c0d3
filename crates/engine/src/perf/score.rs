//! Scores: the effort of solvers on a script, and the margin between the target and the references.
//!
//! ```text
//! target 3.2 s, references 0.1 s and 0.4 s, limit 10 s    margin 2.8
//! target no answer in time, references the same           margin 19.6: an unsolved query counts twice the limit (PAR-2)
//! ```

use crate::finding::Finding;

/// The effort of a solver on a script.
#[derive(Debug, Clone, PartialEq)]
pub enum SolveEffort {
    /// It answered, with this effort.
    Solved(f64),
    /// It timed out.
    Unsolved,
    /// It was not run, because a reference did not solve the script; it counts as unsolved.
    Spared,
    /// It gave up early, rejected the script, failed, or could not be run, for this reason.
    Lost(String),
    /// It crashed, which is a finding but no measurement.
    Crashed(Box<Finding>),
}

impl SolveEffort {
    /// The PAR-2 score: an unsolved script counts twice the limit. `None` if there is no measurement.
    pub fn par2(&self, limit: f64) -> Option<f64> {
        match self {
            SolveEffort::Solved(effort) => Some(effort.min(limit)),
            SolveEffort::Unsolved | SolveEffort::Spared => Some(2.0 * limit),
            SolveEffort::Lost(_) | SolveEffort::Crashed(_) => None,
        }
    }

    /// Returns true if it answered.
    pub fn is_solved(&self) -> bool {
        matches!(self, SolveEffort::Solved(_))
    }
}

/// The efforts of the target and the references on a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The target's effort.
    pub target: SolveEffort,
    /// The references' efforts.
    pub references: Vec<SolveEffort>,
    /// The effort of the target minus that of the worst reference; `None` if one of them has no measurement.
    pub margin: Option<f64>,
}

/// References below this fraction of the limit leave no room for a larger margin.
const EASY_FRACTION: f64 = 0.1;

impl Score {
    /// The score of efforts under a limit.
    pub fn new(target: SolveEffort, references: Vec<SolveEffort>, limit: f64) -> Score {
        let worst =
            references.iter().try_fold(0.0, |worst: f64, effort| Some(worst.max(effort.par2(limit)?)));
        let margin = target.par2(limit).zip(worst).map(|(target, worst)| target - worst);
        Score { target, references, margin }
    }

    /// All efforts, the target's first.
    pub fn efforts(&self) -> impl Iterator<Item = &SolveEffort> {
        std::iter::once(&self.target).chain(&self.references)
    }

    /// Returns true if the margin cannot grow much: the target times out on a script that is easy for the references.
    pub fn is_at_bound(&self, limit: f64) -> bool {
        let easy = |effort: &SolveEffort| matches!(effort, SolveEffort::Solved(effort) if *effort <= EASY_FRACTION * limit);
        self.target == SolveEffort::Unsolved && self.references.iter().all(easy)
    }

    /// Of two measurements of one script, the one with the smaller margin.
    #[must_use]
    pub fn least(self, other: Score) -> Score {
        match (self.margin, other.margin) {
            (Some(here), Some(there)) if there < here => other,
            (None, _) => self,
            (_, None) => other,
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_that_over_the_worst_reference_and_what_is_unsolved_counts_double() {
        let margin = |target, references| Score::new(target, references, 2500.0).margin;
        use SolveEffort::{Solved, Unsolved};
        // The example of section 4.1.
        assert_eq!(margin(Solved(1000.0), vec![Solved(50.0), Solved(100.0)]), Some(900.0));
        assert_eq!(margin(Unsolved, vec![Solved(30.0), Solved(1000.0)]), Some(4000.0));
        assert_eq!(margin(Solved(100.0), vec![Solved(10.0), Solved(1.0)]), Some(90.0));
        assert_eq!(margin(Solved(1.0), vec![Solved(1.0), SolveEffort::Lost("refused".into())]), None);
    }

    #[test]
    fn the_bound_is_reached_where_only_the_target_fails() {
        let at = |target, reference| Score::new(target, vec![reference], 10.0).is_at_bound(10.0);
        assert!(at(SolveEffort::Unsolved, SolveEffort::Solved(0.5)));
        assert!(!at(SolveEffort::Unsolved, SolveEffort::Solved(5.0)));
        assert!(!at(SolveEffort::Unsolved, SolveEffort::Unsolved));
        assert!(!at(SolveEffort::Solved(9.9), SolveEffort::Solved(0.1)));
    }
}
