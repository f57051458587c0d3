//! Solvers that are asked for the answer of a script with one question: a seed, a parent of a fusion, a reduced parent.

use std::sync::Arc;

use gainsay_smt::Script;

use super::panel::{PanelSolver, RunMode, SolverPool};
use super::{ModelPolicy, SideQuery, SolverAccess, SolverRun, TrialSession};
use crate::prepare::{Preparation, Prepared};
use crate::solver::run::{Answer, Ask, Limits, Query, Run};
use crate::solver::runner::Launcher;
use crate::trial::Promise;
use crate::trial::evidence::Belief;

/// Solvers that are asked for the answer of a script.
#[derive(Clone, Copy)]
pub struct StatusPanel<'a> {
    /// The solvers.
    pub panel: &'a [PanelSolver],
    /// How they are started.
    pub launcher: &'a Launcher,
    /// How scripts are put to them.
    pub preparation: &'a Preparation,
    /// What each may use.
    pub limits: Limits,
}

impl<'a> StatusPanel<'a> {
    /// What to believe of a script that claims an answer, or none.
    pub fn belief(
        &self,
        pool: &mut SolverPool<'a>,
        script: &Script,
        text: &str,
        claim: Option<Answer>,
    ) -> Belief {
        Belief::of(&self.ask(pool, script, text).trial, claim)
    }

    /// Asks all solvers about a script, and checks their models.
    pub fn ask(&self, pool: &mut SolverPool<'a>, script: &Script, text: &str) -> TrialSession<'a> {
        let mut session =
            TrialSession::new(self.panel, Some(script.clone()), text, Promise::Nothing, ModelPolicy::All);
        for (solver, prepared) in self.preparation.prepare(script, text).iter().enumerate() {
            let Prepared::Text { text, excuse } = prepared else { continue };
            let query = Query { script: text, limits: self.limits, ask: Ask::WITH_MODEL };
            let Ok(run) = pool.run(solver, RunMode::Fast, &query) else { continue };
            let (options, text, excuse) = (Vec::new(), Arc::clone(text), excuse.clone());
            session.add(SolverRun { solver, options, text, excuse, asked_model: true, run });
        }
        session.check_models(&mut NoSideQueries);
        session.exhaust();
        session
    }
}

/// Asks nothing: models of Horn clauses count only as far as our evaluator can tell.
struct NoSideQueries;

impl SolverAccess for NoSideQueries {
    fn side_query(&mut self, _: &SideQuery<'_>) -> Option<Run> {
        None
    }
}
