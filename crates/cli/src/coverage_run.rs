//! Finds a solver whose coverage is measured, and runs a set of scripts on it, on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use gainsay_engine::coverage::target::{CoverageTarget, Level};
use gainsay_engine::seeds::Seed;
use gainsay_engine::solver::coverage;
use gainsay_engine::solver::driver::{CoverageRequest, DriverKind};
use gainsay_engine::solver::process::RunError;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Ask, Limits, Query, Run};
use gainsay_engine::solver::runner::{Launcher, Runner};
use indicatif::ProgressBar;

use crate::command::check::seconds;
use crate::environment::{Environment, SandboxArgs};
use crate::exit::CannotCover;
use crate::{console, solver_lookup};

/// The flags of every command that measures the coverage of a solver.
#[derive(Debug, clap::Args)]
pub struct CoveredSolverArgs {
    /// NAME@VERSION, NAME (on PATH) or NAME=COMMAND, with options after it: "z3@4.8.10 rewriter.flat=false".
    #[arg(long, short, value_name = "SOLVER")]
    solver: String,
    /// Timeout per solver run: 10, 500ms, 1m.
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = seconds)]
    timeout: Duration,
    /// Number of scripts to run in parallel.
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..1000))]
    jobs: u64,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// A solver that was found or installed, and all that its runs need.
pub struct SolverSetup {
    /// The environment.
    pub environment: Environment,
    /// The solver.
    pub solver: Solver,
    launcher: Launcher,
    limits: Limits,
    jobs: usize,
}

impl CoveredSolverArgs {
    /// Finds or installs the solver.
    pub fn set_up(&self) -> anyhow::Result<SolverSetup> {
        let environment = Environment::read()?.with_sandbox(self.sandbox);
        let launcher = environment.launcher()?;
        let names = std::slice::from_ref(&self.solver);
        let solver = solver_lookup::find_or_install(&environment, names)?.remove(0);
        let limits = Limits { wall: self.timeout, ..Limits::default() };
        Ok(SolverSetup { environment, solver, launcher, limits, jobs: usize::try_from(self.jobs)? })
    }
}

impl SolverSetup {
    /// The solver as this driver runs it.
    pub fn covered(&self, driver: &'static DriverKind) -> CoveredSolver<'_> {
        let SolverSetup { solver, launcher, limits, jobs, .. } = self;
        CoveredSolver { solver, launcher, limits: *limits, driver, jobs: *jobs }
    }
}

/// A solver, how it is started and how its runs are limited.
pub struct CoveredSolver<'a> {
    /// The solver.
    pub solver: &'a Solver,
    /// How it is started.
    pub launcher: &'a Launcher,
    /// Limits of each run.
    pub limits: Limits,
    /// The driver that runs it, unless coverage needs another.
    pub driver: &'static DriverKind,
    /// The number of threads.
    pub jobs: usize,
}

/// Finds the sites of a solver, or says why it cannot be covered.
pub fn target(solver: &Solver, level: Level) -> Result<Arc<CoverageTarget>, CannotCover> {
    if let Some(why) = gainsay_engine::coverage::unsupported() {
        return Err(CannotCover(why));
    }
    coverage::target(solver, level).map_err(|error| CannotCover(error.to_string()))
}

impl CoveredSolver<'_> {
    /// Runs all seeds and returns what `keep` makes of each run, in the order of the seeds.
    pub fn run_all<T: Send>(
        &self,
        seeds: &[Seed],
        request: Option<&CoverageRequest>,
        keep: impl Fn(Run) -> T + Sync,
    ) -> anyhow::Result<Vec<T>> {
        let bar = console::bar(|| ProgressBar::new(seeds.len() as u64).with_prefix("running scripts"));
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(seeds.len()));
        let work = || -> anyhow::Result<()> {
            let mut runner = self.open(request)?;
            while let Some((number, seed)) = take(seeds, &next) {
                let text = seed.read()?;
                let run =
                    runner.run(&Query { script: &text, limits: self.limits, ask: Ask::ANSWERS_ONLY })?;
                results.lock().unwrap_or_else(PoisonError::into_inner).push((number, keep(run)));
                bar.inc(1);
            }
            Ok(())
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs).map(|_| scope.spawn(work)).collect();
            let ends = workers.into_iter().map(|worker| worker.join().expect("a worker does not panic"));
            ends.collect::<anyhow::Result<Vec<()>>>()
        })?;
        bar.finish_and_clear();
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(number, _)| *number);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    fn open(&self, request: Option<&CoverageRequest>) -> Result<Runner, RunError> {
        let kind = request.map_or(self.driver, |request| coverage::driver_for(&request.target, self.driver));
        Runner::open_covered(self.solver, kind, self.launcher, request.cloned())
    }
}

fn take<'a>(seeds: &'a [Seed], next: &AtomicUsize) -> Option<(usize, &'a Seed)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    Some((number, seeds.get(number)?))
}
