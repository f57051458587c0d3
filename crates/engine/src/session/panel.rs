//! The panel: the solvers that take part in trials, and the processes that run them.

use std::time::Duration;

use gainsay_smt::Signature;

use crate::options::{OptionDraw, OptionPlan};
use crate::prepare::Preparation;
use crate::random::RandomStream;
use crate::run_limits::RunLimits;
use crate::session::coverage::PanelCoverage;
use crate::solver::coverage;
use crate::solver::name::Origin;
use crate::solver::process::RunError;
use crate::solver::resolve::Solver;
use crate::solver::run::{Ask, Limits, Query, Run};
use crate::solver::runner::{self, Launcher, Runner};
use crate::solver::shortage::Backoff;
use crate::solver::trouble::{Trouble, TroubleKind};
use crate::trial::{ModelEvidence, SolverIdentity};

/// Runs in a row that look as if the solver did not work at all, before it is asked whether it does.
const MAX_USELESS_RUNS: u32 = 16;

/// A solver that takes part.
#[derive(Debug, Clone)]
pub struct PanelSolver {
    /// The solver.
    pub solver: Solver,
    /// The same for oracles; its version was asked for where it was not known.
    pub identity: SolverIdentity,
}

/// A solver that cannot take part.
#[derive(Debug, thiserror::Error)]
pub enum PanelError {
    /// It cannot be started.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It is no solver.
    #[error("{name} does not answer (check-sat) like an SMT solver: {said}; check the command")]
    NoSolver {
        /// Its name.
        name: String,
        /// Its output.
        said: String,
    },
    /// It rejects the options that it was named with.
    #[error("{name} rejects its command line: {said}; check the options after its name")]
    BadOptions {
        /// Its name.
        name: String,
        /// Its message.
        said: String,
    },
}

impl PanelSolver {
    /// How scripts are prepared for the solvers of a panel.
    pub fn preparation(panel: &[PanelSolver], signature: &Signature) -> Preparation {
        let versioned: Vec<_> =
            panel.iter().map(|solver| (solver.solver.clone(), solver.identity.version.clone())).collect();
        Preparation::new(&versioned, signature)
    }

    /// Asks a solver whether it works with its options, and for its version where that is not known.
    pub fn open(solver: &Solver, launcher: &Launcher) -> Result<Self, PanelError> {
        let name = solver.name.to_string();
        let mut version = solver.version.clone();
        runner::answers(solver, launcher, Limits::default())?
            .map_err(|said| PanelError::NoSolver { name: name.clone(), said })?;
        if matches!(solver.name.origin, Origin::Path | Origin::Command(_)) {
            version = runner::ask_version(solver, launcher, Limits::default())?;
        }
        let query = Query { script: "(set-logic ALL)\n", limits: Limits::default(), ask: Ask::ANSWERS_ONLY };
        let run = Runner::open(solver, runner::plain(), launcher)?.run(&query)?;
        if let Some(Trouble { kind: TroubleKind::UsageError, said }) = run.trouble {
            return Err(PanelError::BadOptions { name, said });
        }
        let identity = SolverIdentity { name, family: solver.profile.family.clone(), version };
        Ok(PanelSolver { solver: solver.clone(), identity })
    }

    /// The same solver for oracles, with more options.
    pub fn identity_with(&self, options: &[String]) -> SolverIdentity {
        if options.is_empty() {
            return self.identity.clone();
        }
        SolverIdentity { name: self.solver.with_options(options).name.to_string(), ..self.identity.clone() }
    }

    /// Returns true if it can print a trace or statistics of its run.
    pub fn tells(&self) -> bool {
        self.solver.profile.trace.is_some() || self.solver.profile.statistics.is_some()
    }

    /// A model that it printed for a text, unasked or with its answer.
    pub fn model_given(&self, text: &str, model: Option<String>) -> ModelEvidence {
        ModelEvidence::given(&self.solver.profile, self.identity.version.as_ref(), text, model)
    }

    /// The model of a run that asked for it at one question of a text.
    pub fn model_asked(&self, text: &str, question: usize, run: Option<Run>) -> ModelEvidence {
        ModelEvidence::asked(&self.solver.profile, self.identity.version.as_ref(), text, question, run)
    }

    /// Why its answers to a text must not be compared with those of others, if so.
    pub fn excuse(&self, text: &str) -> Option<String> {
        self.solver.answer_excuse(text, self.identity.version.as_ref())
    }

    /// The same for a run with these options, which were drawn for it.
    pub fn excuse_with(&self, options: &[String], text: &str) -> Option<String> {
        if options.is_empty() {
            return None;
        }
        self.solver.with_options(options).answer_excuse(text, self.identity.version.as_ref())
    }

    /// The options that are drawn for it from a random stream.
    pub fn draw(&self, plan: OptionPlan, stream: &RandomStream) -> Vec<String> {
        let Some(tier) = plan.tier.filter(|_| plan.percent > 0) else { return Vec::new() };
        let bare = (100 - usize::from(plan.percent.min(100)), 100);
        let draw = OptionDraw::new(&self.solver.profile, self.identity.version.as_ref(), tier, bare);
        draw.draw(&mut stream.rng())
    }

    /// Its command line for a script by the plain driver, for people.
    pub fn command(&self, options: &[String], script: &str, launcher: &Launcher) -> String {
        let incremental =
            self.solver.profile.incremental.iter().filter(|_| runner::asks_more_than_once(script));
        let options: Vec<String> = options.iter().chain(incremental).cloned().collect();
        let solver = self.solver.with_options(&options);
        let solver = if runner::synthesises(script) { solver.for_synthesis() } else { solver };
        let launch = runner::launch_spec(&solver, launcher);
        let program = launch.program.display().to_string();
        [vec![program], launch.arguments].concat().join(" ").replace("{script}", "case.smt2")
    }
}

/// Why a solver cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverFailure {
    /// The reason.
    pub why: String,
    /// Whether the machine lacks something for a moment, so that a later attempt may succeed.
    pub is_shortage: bool,
}

impl From<RunError> for SolverFailure {
    fn from(error: RunError) -> Self {
        SolverFailure { why: error.to_string(), is_shortage: error.is_shortage() }
    }
}

impl From<SolverFailure> for String {
    fn from(failure: SolverFailure) -> String {
        failure.why
    }
}

/// How a solver is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunMode {
    /// By the fastest driver of its profile.
    Fast,
    /// In a process of its own, from its command line.
    Fresh,
}

/// The solvers in the hands of one worker.
pub struct SolverPool<'a> {
    panel: &'a [PanelSolver],
    launcher: &'a Launcher,
    coverage: Option<&'a PanelCoverage>,
    solvers: Vec<PooledSolver>,
}

#[derive(Default)]
struct PooledSolver {
    fast: Option<Runner>,
    fresh: Option<Runner>,
    strikes: u32,
}

/// The limits of a run in a campaign. Output after the timeout is not waited for.
pub fn run_limits(plan: RunLimits, cpu: Option<Duration>) -> Limits {
    Limits {
        wall: Duration::from_secs_f64(plan.seconds),
        grace: Duration::ZERO,
        cpu,
        memory: Some(plan.memory.saturating_mul(1 << 20)),
        ..Limits::default()
    }
}

/// The limits of a run that confirms a finding: a fresh process starts slowly on a loaded machine, and a crash for want of
/// memory is none.
pub fn confirmation_limits(limits: Limits) -> Limits {
    Limits { wall: limits.wall * 2, memory: limits.memory.map(|bytes| bytes.saturating_mul(4)), ..limits }
}

impl<'a> SolverPool<'a> {
    /// With nothing started yet.
    pub fn new(panel: &'a [PanelSolver], launcher: &'a Launcher) -> Self {
        let solvers = panel.iter().map(|_| PooledSolver::default()).collect();
        SolverPool { panel, launcher, coverage: None, solvers }
    }

    /// The same solvers, whose coverage is measured.
    #[must_use]
    pub fn covered(self, coverage: &'a PanelCoverage) -> Self {
        SolverPool { coverage: Some(coverage), ..self }
    }

    /// Runs a script. The error says why the solver cannot be run any more.
    pub fn run(&mut self, member: usize, way: RunMode, query: &Query<'_>) -> Result<Run, SolverFailure> {
        let run = match self.attempt(member, way, query) {
            Ok(run) => run,
            // Processes and descriptors of other solvers may be what is lacking.
            Err(error) if error.is_shortage() => {
                self.close();
                self.attempt(member, way, query)?
            }
            // Its processes may be broken (a killed helper, a session that hangs), so start new ones.
            Err(_) => {
                self.solvers[member] = PooledSolver::default();
                self.attempt(member, way, query)?
            }
        };
        self.watch(member, &run)?;
        Ok(run)
    }

    /// Ends all processes of the pool; they start again when they are needed.
    fn close(&mut self) {
        self.solvers.iter_mut().for_each(|solver| *solver = PooledSolver::default());
    }

    /// Runs a script with options that were drawn for it. With options it runs in a process of its own, whatever the mode.
    pub fn run_with(
        &mut self,
        solver: usize,
        mode: RunMode,
        options: &[String],
        query: &Query<'_>,
    ) -> Result<Run, SolverFailure> {
        if options.is_empty() {
            return self.run(solver, mode, query);
        }
        let request = self.coverage.and_then(|coverage| coverage.request(solver));
        let solver = self.panel[solver].solver.with_options(options);
        let runner = Runner::open_covered(&solver, runner::plain(), self.launcher, request);
        let run = runner.and_then(|mut runner| runner.run(query));
        if run.as_ref().is_err_and(RunError::is_shortage) {
            self.close();
        }
        Ok(run?)
    }

    fn attempt(&mut self, member: usize, way: RunMode, query: &Query<'_>) -> Result<Run, RunError> {
        let solver = &self.panel[member].solver;
        let place = &mut self.solvers[member];
        let runner = match way {
            RunMode::Fast => &mut place.fast,
            RunMode::Fresh => &mut place.fresh,
        };
        if runner.is_none() {
            let fastest = || runner::drivers(solver, self.launcher).first().copied();
            let kind = (way == RunMode::Fast).then(fastest).flatten().unwrap_or_else(runner::plain);
            // A fresh process repeats what another one has reached: it is as a user would start it.
            let request = self.coverage.filter(|_| way == RunMode::Fast);
            let request = request.and_then(|coverage| coverage.request(member));
            let kind = request.as_ref().map_or(kind, |request| coverage::driver_for(&request.target, kind));
            *runner = Some(Runner::open_covered(solver, kind, self.launcher, request)?);
        }
        runner.as_mut().expect("it was opened").run(query)
    }

    /// A library that is gone is no error of the system's, just a solver that answers nothing any more.
    fn watch(&mut self, member: usize, run: &Run) -> Result<(), SolverFailure> {
        use TroubleKind::{Error, Garbage, UsageError};
        let kind = run.trouble.as_ref().map(|trouble| trouble.kind);
        let is_strike = run.answers.is_empty() && matches!(kind, Some(Error | Garbage | UsageError));
        let place = &mut self.solvers[member];
        place.strikes = if is_strike { place.strikes + 1 } else { 0 };
        if place.strikes < MAX_USELESS_RUNS {
            return Ok(());
        }
        place.strikes = 0;
        self.works(member)
    }

    /// Checks that a solver still answers a trivial script. The error quotes its output.
    ///
    /// It is asked more than once: a wrapper script that cannot start a process for a moment looks like a broken solver.
    pub fn works(&self, member: usize) -> Result<(), SolverFailure> {
        let mut backoff = Backoff::default();
        loop {
            let answers = runner::answers(&self.panel[member].solver, self.launcher, Limits::default())?;
            match (answers, backoff.next_pause()) {
                (Ok(()), _) => return Ok(()),
                (Err(why), None) => return Err(SolverFailure { why, is_shortage: false }),
                (Err(_), Some(pause)) => std::thread::sleep(pause),
            }
        }
    }
}
