//! Asks one release of a solver about a script, as its users ask it: a process of its own, the script in its spelling. Where
//! it answers sat, the model is asked for as well and checked by our own evaluator. The statement can be remembered.

use gainsay_smt::Script;

use crate::prepare::Prepared;
use crate::session::panel::PanelSolver;
use crate::session::{ModelPolicy, SideQuery, SolverAccess, SolverRun, TrialSession};
use crate::solver::process::RunError;
use crate::solver::resolve::Solver;
use crate::solver::run::{Answer, Ask, Limits, Query, Run};
use crate::solver::runner::{self, Launcher, Runner};
use crate::trial::{Promise, SolverIdentity, Statement};

/// Questions of a script whose models are asked for, the last ones.
const MAX_MODELS_ASKED: usize = 3;

/// A script to ask about, and what each run may use.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseQuery<'a> {
    /// The script.
    pub script: &'a Script,
    /// Its text.
    pub text: &'a str,
    /// The limits of a run.
    pub limits: Limits,
    /// Other solvers, which check models of Horn clauses and the claims of replies.
    pub checkers: &'a [Solver],
}

/// Asks a release. The error is ours or the system's: no process could be started.
pub fn ask(
    query: &ReleaseQuery<'_>,
    solver: &Solver,
    identity: &SolverIdentity,
    launcher: &Launcher,
) -> Result<Statement, RunError> {
    let panel = panel(query, solver, identity);
    let preparation = PanelSolver::preparation(&panel[..1], query.script.arena().signature());
    let (text, excuse) = match preparation.prepare(query.script, query.text).swap_remove(0) {
        Prepared::Spared(why) => return Ok(Statement::silent(identity.clone(), why)),
        Prepared::Text { text, excuse } => (text, excuse),
    };
    let mut access =
        Runners { panel: &panel, limits: query.limits, launcher, runners: Vec::new(), error: None };
    let run = access.run(0, &text, Ask::ANSWERS_ONLY)?;
    let script = Some(query.script.clone());
    let mut session = TrialSession::new(&panel, script, query.text, Promise::Nothing, ModelPolicy::All);
    session.add(SolverRun { solver: 0, options: Vec::new(), text, excuse, asked_model: false, run });
    let votes = &session.trial.statements[0];
    let satisfied = (0..votes.votes.len()).filter(|&question| votes.answer(question) == Some(Answer::Sat));
    for question in satisfied.rev().take(MAX_MODELS_ASKED).collect::<Vec<_>>() {
        session.ask_model(0, question, &mut access);
    }
    session.check_models(&mut access);
    session.check_replies(&mut access);
    if let Some(error) = access.error {
        return Err(error);
    }
    let mut statement = session.trial.statements.swap_remove(0);
    let at_model = statement.models().find_map(|(_, model)| model.crash.clone());
    statement.crash = statement.crash.or(at_model);
    for vote in &mut statement.votes {
        vote.model = vote.model.take().map(crate::trial::ModelEvidence::for_record);
    }
    Ok(statement)
}

/// The release, and the solvers that check its models after it.
fn panel(query: &ReleaseQuery<'_>, solver: &Solver, identity: &SolverIdentity) -> Vec<PanelSolver> {
    let checker = |solver: &Solver| PanelSolver {
        solver: solver.clone(),
        identity: SolverIdentity {
            name: solver.name.to_string(),
            family: solver.profile.family.clone(),
            version: solver.version.clone(),
        },
    };
    let release = PanelSolver { solver: solver.clone(), identity: identity.clone() };
    std::iter::once(release).chain(query.checkers.iter().map(checker)).collect()
}

/// Plain processes of a release and of the solvers that check its models.
struct Runners<'a> {
    panel: &'a [PanelSolver],
    limits: Limits,
    launcher: &'a Launcher,
    runners: Vec<(usize, Runner)>,
    /// The first error of the system, if there was one.
    error: Option<RunError>,
}

impl Runners<'_> {
    fn run(&mut self, solver: usize, text: &str, ask: Ask) -> Result<Run, RunError> {
        let at = match self.runners.iter().position(|(known, _)| *known == solver) {
            Some(at) => at,
            None => {
                let runner = Runner::open(&self.panel[solver].solver, runner::plain(), self.launcher)?;
                self.runners.push((solver, runner));
                self.runners.len() - 1
            }
        };
        self.runners[at].1.run(&Query { script: text, limits: self.limits, ask })
    }
}

impl SolverAccess for Runners<'_> {
    fn side_query(&mut self, query: &SideQuery<'_>) -> Option<Run> {
        match self.run(query.solver, query.text, query.ask) {
            Ok(run) => Some(run),
            Err(error) => {
                self.error.get_or_insert(error);
                None
            }
        }
    }
}
