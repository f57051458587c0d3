//! Solvers that say whether a reduced script still has the answer that it had.
//!
//! Such a script claims no answer. It takes a model that our evaluator finds true, or two code bases that agree and none that
//! does not (`trial/evidence.rs`). So the checkers are one solver whose model of the first script satisfies it, else one
//! solver of each code base that was right about it: never the suspect alone. The choice follows from the order of the
//! solvers, not from how fast they were, so that a reduction ends alike each time.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gainsay_smt::Script;

use crate::prepare::Preparation;
use crate::session::TrialSession;
use crate::session::panel::{PanelSolver, SolverPool};
use crate::session::status_panel::StatusPanel;
use crate::solver::run::{Answer, Limits};
use crate::solver::runner::Launcher;
use crate::trial::evidence::Belief;
use crate::trial::{ModelEvidence, Statement, Trial};

/// Code bases that are asked if no model settles the answer.
const MAX_CODE_BASES: usize = 3;
/// The time that a checker gets for a candidate in any case.
const MIN_CHECK_TIME: Duration = Duration::from_secs(1);
/// The time that a checker gets for a candidate, as a multiple of the slowest one's time for the first script.
const CHECK_TIME_FACTOR: u32 = 4;

/// Solvers that can tell the answer of a script, and the time of the slowest.
pub struct ChosenCheckers {
    solvers: Vec<PanelSolver>,
    slowest: Duration,
}

impl ChosenCheckers {
    /// Chooses from a panel by what each solver said about the first script; `None` if they are too few.
    pub fn choose(
        panel: &[PanelSolver],
        status: Answer,
        session: &TrialSession<'_>,
    ) -> Option<ChosenCheckers> {
        let chosen = chosen(&session.trial, status)?;
        let runs: Vec<_> = chosen.iter().map(|&at| &session.runs[at]).collect();
        let slowest = runs.iter().map(|run| run.run.wall).max()?;
        Some(ChosenCheckers { solvers: runs.iter().map(|run| panel[run.solver].clone()).collect(), slowest })
    }

    /// The solvers.
    pub fn solvers(&self) -> &[PanelSolver] {
        &self.solvers
    }
}

/// The solvers at work.
pub struct StatusCheckers<'a> {
    panel: StatusPanel<'a>,
    pool: Mutex<SolverPool<'a>>,
    status: Answer,
}

impl<'a> StatusCheckers<'a> {
    /// Starts nothing yet. The solvers get scripts by this preparation.
    pub fn new(
        chosen: &'a ChosenCheckers,
        launcher: &'a Launcher,
        preparation: &'a Preparation,
        limits: Limits,
        status: Answer,
    ) -> StatusCheckers<'a> {
        let wall = limits.wall.min(MIN_CHECK_TIME.max(chosen.slowest * CHECK_TIME_FACTOR));
        let panel = chosen.solvers();
        let pool = Mutex::new(SolverPool::new(panel, launcher));
        // The first runs took as long as they did with their waiting, so waiting counts here, too.
        let limits = Limits { wall, counts_waiting: true, ..limits };
        let panel = StatusPanel { panel, launcher, preparation, limits };
        StatusCheckers { panel, pool, status }
    }

    /// Returns true if a script is believed to have the answer.
    pub fn confirm(&self, script: &Script) -> bool {
        let text = script.to_string();
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        self.panel.belief(&mut pool, script, &text, None).answer == Some(self.status)
    }
}

/// The statements of the solvers that are chosen: their places.
fn chosen(trial: &Trial, status: Answer) -> Option<Vec<usize>> {
    let holds = |statement: &Statement| {
        statement.votes.iter().filter_map(|vote| vote.model.as_ref()).any(ModelEvidence::holds)
    };
    let all = || trial.statements.iter().enumerate();
    let mut chosen: Vec<usize> = all().filter(|(_, one)| holds(one)).map(|(at, _)| at).take(1).collect();
    if chosen.is_empty() {
        let mut families = BTreeSet::new();
        let right = all().filter(|(_, one)| one.votes.len() == 1 && one.votes[0].answer == status);
        let fresh = right.filter(|(_, one)| families.insert(one.solver.family.as_str()));
        chosen = fresh.map(|(at, _)| at).take(MAX_CODE_BASES).collect();
    }
    let statements = chosen.iter().map(|&at| trial.statements[at].clone()).collect();
    let few = Trial { statements, ..trial.clone() };
    (Belief::of(&few, None).answer == Some(status)).then_some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Promise;
    use crate::trial::tests::trial;

    fn check(status: Answer, votes: &str, expected: &[&str]) {
        let trial = trial(votes, Promise::Nothing);
        let chosen = chosen(&trial, status).unwrap_or_default();
        let names: Vec<&str> = chosen.iter().map(|&at| trial.statements[at].solver.name.as_str()).collect();
        assert_eq!(names, expected, "{status:?} {votes}");
    }

    #[test]
    fn one_model_that_holds_is_enough_and_an_invalid_one_is_nothing() {
        check(Answer::Sat, "z3=sat? cvc5=sat! yices=sat!", &["cvc5"]);
        check(Answer::Sat, "z3=sat?", &[]);
    }

    #[test]
    fn without_a_model_it_takes_two_code_bases_that_agree() {
        check(Answer::Unsat, "z3=unsat", &[]);
        check(Answer::Unsat, "z3@4.8.10=unsat z3@5.4.0=unsat", &[]);
        check(Answer::Unsat, "z3@4.8.10=unsat z3@5.4.0=unsat cvc5=unsat", &["z3@4.8.10", "cvc5"]);
        check(Answer::Sat, "z3=sat cvc5=unknown yices=sat", &["z3", "yices"]);
    }
}
