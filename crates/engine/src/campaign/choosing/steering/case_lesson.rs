//! What the bandit reads from the runs of a case: whether they were decided, how the solvers behaved, and what it cost.
//!
//! The cost is by counts that are the same on every machine, not by the clock. A run that ends at a limit costs about as much as four ordinary cases, and three checks in one script about as much as two scripts
//! (`experiments/versus/result.md`).

use crate::event::RunReport;
use crate::solver::run::Answer;
use crate::solver::trace::Identity;
use crate::solver::trouble::TroubleKind;

/// The cost of a run that ends at a limit, in ordinary cases.
const LIMIT_COST: f64 = 4.0;

/// The cost of a check after the first one of a script, in ordinary cases.
const CHECK_COST: f64 = 0.5;

/// What a case with these runs costs beyond an ordinary case, in ordinary cases.
pub(super) fn extra_cost(runs: &[RunReport]) -> f64 {
    let limits = runs.iter().filter(|run| run.trouble.is_some_and(TroubleKind::is_limit)).count();
    let checks = runs.iter().map(|run| run.answers.len()).max().unwrap_or(0);
    LIMIT_COST * limits as f64 + CHECK_COST * checks.saturating_sub(1) as f64
}

/// Returns true if a run ended with an answer.
pub(super) fn is_decided(run: &RunReport) -> bool {
    run.trouble.is_none() && run.answers.last().is_some_and(|answer| *answer != Answer::Unknown)
}

/// Identifies the behaviour of the solvers on a case of a seed. Run times are left out, since they vary by chance.
pub(super) fn way(seed: &str, runs: &[RunReport]) -> Identity {
    let mut words = vec!["way".to_owned(), seed.to_owned()];
    for run in runs {
        words.push(run.solver.clone());
        words.extend(run.answers.iter().map(|answer| answer.name().to_owned()));
        words.extend(run.behaviour.iter().map(|behaviour| behaviour.identity.to_string()));
    }
    Identity::of(words.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::solver::run::Answer;

    fn report(answers: &[Answer], trouble: Option<TroubleKind>) -> RunReport {
        RunReport {
            solver: "z3".to_owned(),
            options: Vec::new(),
            answers: answers.to_vec(),
            trouble,
            said: String::new(),
            removed: Vec::new(),
            cpu: Duration::ZERO,
            side_cpu: Duration::ZERO,
            behaviour: None,
            new_code: 0,
            changed: None,
        }
    }

    #[test]
    fn time_outs_and_further_checks_cost_extra() {
        let (sat, fine) = (Answer::Sat, report(&[Answer::Sat], None));
        assert_eq!(extra_cost(&[fine.clone(), fine.clone()]), 0.0);
        assert_eq!(extra_cost(&[fine.clone(), report(&[sat, sat, sat], None)]), 2.0 * CHECK_COST);
        let late = report(&[], Some(TroubleKind::TimeOut));
        assert_eq!(extra_cost(&[late.clone(), fine, late]), 2.0 * LIMIT_COST);
        assert_eq!(extra_cost(&[report(&[], Some(TroubleKind::ParseError))]), 0.0);
    }
}
