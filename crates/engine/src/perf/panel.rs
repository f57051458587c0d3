//! The target and the references: measures their effort on a script, and judges their answers.

mod judge;

use std::sync::Arc;
use std::time::{Duration, Instant};

use gainsay_smt::{Script, Signature};

use super::score::{Score, SolveEffort};
use crate::prepare::{Preparation, Prepared};
use crate::session::SolverRun;
use crate::session::panel::{PanelSolver, RunMode, SolverPool};
use crate::solver::run::{Answer, Ask, Exit, Limits, Query, Run};
use crate::solver::runner::Launcher;
use crate::trial::CrashReport;

/// The unit of effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffortUnit {
    /// CPU seconds of a fresh process.
    Cpu,
    /// The solver's own count of its work, relative to its usual work.
    Work,
}

/// Solvers, the target first.
pub struct PerfPanel<'a> {
    panel: &'a [PanelSolver],
    pool: SolverPool<'a>,
    preparation: Preparation,
    limits: Limits,
    unit: EffortUnit,
    /// The usual work of each solver, by which its work is divided.
    usual: Vec<f64>,
    /// When all runs must have ended.
    deadline: Option<Instant>,
}

/// Whether a script has a margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarginTest {
    /// It does not.
    No,
    /// It does, in this measurement.
    Yes,
    /// It does, and the target does not solve it at all.
    Beyond,
}

/// The CPU time of a solver on a script that only shows whether the solver can use such scripts.
const MAX_PROBE_CPU: Duration = Duration::from_millis(200);

/// The fraction of its CPU limit that a solver must use to count as out of time.
const CPU_USED_FRACTION: f64 = 0.9;

/// Why a script is undecided at the deadline.
const OUT_OF_TIME: &str = "--time had run out";

/// The limit of work, as a multiple of the usual work.
pub const WORK_LIMIT: f64 = 1000.0;

impl<'a> PerfPanel<'a> {
    /// A panel of these solvers, with a timeout for each run.
    pub fn new(
        panel: &'a [PanelSolver],
        launcher: &'a Launcher,
        timeout: Duration,
        memory: Option<u64>,
        unit: EffortUnit,
        signature: &Arc<Signature>,
    ) -> PerfPanel<'a> {
        let limits = Limits {
            // CPU time counts: a busy machine may give a process much less than one processor.
            wall: timeout * 10 + Duration::from_secs(5),
            counts_waiting: true,
            cpu: Some(timeout),
            grace: Duration::ZERO,
            memory,
            ..Limits::default()
        };
        let preparation = PanelSolver::preparation(panel, signature);
        PerfPanel {
            panel,
            pool: SolverPool::new(panel, launcher),
            preparation,
            limits,
            unit,
            usual: vec![1.0; panel.len()],
            deadline: None,
        }
    }

    /// Ends all runs at this time; scripts that are not measured by then are undecided.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// The time until the deadline.
    fn remaining(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The limits of a run that starts now.
    fn limits(&self) -> Limits {
        Limits { wall: self.limits.wall.min(self.remaining()), ..self.limits }
    }

    /// The limit, in the unit of scores.
    pub fn limit(&self) -> f64 {
        match self.unit {
            EffortUnit::Cpu => self.limits.cpu.unwrap_or(self.limits.wall).as_secs_f64(),
            EffortUnit::Work => WORK_LIMIT,
        }
    }

    /// Checks that all solvers count their work.
    pub fn counts_work(&self) -> Result<(), String> {
        match self.panel.iter().find(|solver| solver.solver.profile.work.is_none()) {
            Some(solver) => Err(format!("{} does not count its work", solver.identity.name)),
            None => Ok(()),
        }
    }

    /// The effort of each solver on a script.
    pub fn efforts(&mut self, script: &Script) -> Result<Vec<SolveEffort>, String> {
        let efforts = self.efforts_once(script)?;
        if !efforts.iter().any(|effort| matches!(effort, SolveEffort::Crashed(_))) {
            return Ok(efforts);
        }
        // Only a crash that repeats is a finding.
        let again = self.efforts_once(script)?;
        let sure = |(here, there): (SolveEffort, SolveEffort)| match (&here, &there) {
            (SolveEffort::Crashed(first), SolveEffort::Crashed(second))
                if first.fingerprint == second.fingerprint =>
            {
                here
            }
            (SolveEffort::Crashed(finding), _) => {
                SolveEffort::Lost(format!("{}, and not again", finding.explanation))
            }
            _ => here,
        };
        Ok(efforts.into_iter().zip(again).map(sure).collect())
    }

    /// References run first. If one of them does not solve the script, the others need not run: the target cannot be slower than
    /// that, and its run would be the most expensive one.
    fn efforts_once(&mut self, script: &Script) -> Result<Vec<SolveEffort>, String> {
        let text = script.to_string();
        let prepared = self.preparation.prepare(script, &text);
        let mut efforts = vec![SolveEffort::Spared; self.panel.len()];
        let mut members: Vec<(usize, Prepared)> = prepared.into_iter().enumerate().collect();
        members.rotate_left(1);
        for (solver, prepared) in members {
            let run = self.solver_run(solver, prepared, RunMode::Fresh)?;
            efforts[solver] = self.effort(solver, run);
            if efforts[solver] == SolveEffort::Unsolved {
                break;
            }
        }
        Ok(efforts)
    }

    /// The score of a script.
    pub fn score(&mut self, script: &Script) -> Result<Score, String> {
        let mut efforts = self.efforts(script)?;
        let references = efforts.split_off(1);
        Ok(Score::new(efforts.remove(0), references, self.limit()))
    }

    /// Tests whether a script has at least this margin. References run first: if they take too long, the target does not run.
    pub fn keeps(&mut self, script: &Script, least: f64) -> Result<MarginTest, String> {
        let text = script.to_string();
        let prepared = self.preparation.prepare(script, &text);
        let limit = self.limit();
        let mut worst = 0.0_f64;
        for (solver, prepared) in prepared.into_iter().enumerate().rev() {
            let run = self.solver_run(solver, prepared, RunMode::Fresh)?;
            let effort = self.effort(solver, run);
            let Some(took) = effort.par2(limit) else { return Ok(MarginTest::No) };
            if solver == 0 {
                return Ok(match effort {
                    _ if took - worst < least => MarginTest::No,
                    SolveEffort::Unsolved => MarginTest::Beyond,
                    _ => MarginTest::Yes,
                });
            }
            worst = worst.max(took);
            if 2.0 * limit - worst < least {
                return Ok(MarginTest::No);
            }
        }
        Ok(MarginTest::No)
    }

    /// Measures the usual work of each solver on scripts; returns the solvers that can use none of them, with the reason.
    ///
    /// A solver need not solve a script to be able to use it, and refuses at once what it cannot use, so the runs are short. If
    /// CPU time is compared, there is no usual work, and a solver runs only until it can use a script.
    pub fn calibrate(&mut self, scripts: &[Script]) -> Result<Vec<(usize, String)>, String> {
        let limits = self.limits;
        self.limits.cpu = limits.cpu.map(|cpu| cpu.min(MAX_PROBE_CPU));
        let calibrated = self.calibrate_within_limits(scripts);
        self.limits = limits;
        calibrated
    }

    fn calibrate_within_limits(&mut self, scripts: &[Script]) -> Result<Vec<(usize, String)>, String> {
        let mut works: Vec<Vec<f64>> = vec![Vec::new(); self.panel.len()];
        let mut refusals: Vec<(usize, String)> = vec![(0, String::new()); self.panel.len()];
        let mut is_usable = vec![false; self.panel.len()];
        for script in scripts {
            let prepared = self.preparation.prepare(script, &script.to_string());
            for (solver, prepared) in prepared.into_iter().enumerate() {
                if self.unit == EffortUnit::Cpu && is_usable[solver] {
                    continue;
                }
                let run = self.solver_run(solver, prepared, RunMode::Fresh)?;
                let work = run.as_ref().ok().and_then(|run| run.run.work);
                works[solver].extend(work.map(|work| work as f64));
                match self.effort(solver, run) {
                    SolveEffort::Lost(why) => refusals[solver] = (refusals[solver].0 + 1, why),
                    _ => is_usable[solver] = true,
                }
            }
        }
        for (usual, mut works) in self.usual.iter_mut().zip(works) {
            works.sort_by(f64::total_cmp);
            *usual = works.get(works.len() / 2).copied().unwrap_or(1.0).max(1.0);
        }
        let deaf = refusals.into_iter().enumerate().filter(|(_, (count, _))| *count == scripts.len());
        Ok(deaf.map(|(solver, (_, why))| (solver, why)).collect())
    }

    fn effort(&self, solver: usize, run: Result<SolverRun, String>) -> SolveEffort {
        let run = match run {
            Err(why) => return SolveEffort::Lost(why),
            Ok(run) => run.run,
        };
        let subject = &self.panel[solver].identity;
        if let Some(crash) = CrashReport::of(&run) {
            return SolveEffort::Crashed(Box::new(crash.finding(subject)));
        }
        // A wall-clock timeout with little CPU time means that the machine was busy.
        let enough = self.limits.cpu.is_none_or(|limit| run.cpu >= limit.mul_f64(CPU_USED_FRACTION));
        if run.exit == Exit::WallLimit && !enough && self.remaining().is_zero() {
            return SolveEffort::Lost(OUT_OF_TIME.to_owned());
        }
        if run.exit == Exit::WallLimit && !enough {
            let (used, wall) = (run.cpu.as_secs_f64(), self.limits.wall.as_secs_f64());
            return SolveEffort::Lost(format!("{} got {used:.1} s of CPU in {wall:.1} s", subject.name));
        }
        let kind = run.trouble.as_ref().map(|trouble| trouble.kind);
        let limited = matches!(run.exit, Exit::WallLimit | Exit::CpuLimit | Exit::MemoryLimit)
            || kind.is_some_and(crate::solver::trouble::TroubleKind::is_limit);
        match (run.answers.last(), &run.trouble) {
            (_, _) if limited => SolveEffort::Unsolved,
            (_, Some(trouble)) => SolveEffort::Lost(format!("{}: {trouble}", subject.name)),
            // A solver that gives up early is not slow.
            (Some(Answer::Unknown), None) => SolveEffort::Lost(format!("{} says unknown", subject.name)),
            (Some(_), None) => match self.took(solver, &run) {
                Some(took) if took >= self.limit() => SolveEffort::Unsolved,
                Some(took) => SolveEffort::Solved(took),
                None => SolveEffort::Lost(format!("{} did not report its work count", subject.name)),
            },
            (None, None) => SolveEffort::Lost(format!("{} did not answer", subject.name)),
        }
    }

    fn took(&self, solver: usize, run: &Run) -> Option<f64> {
        match self.unit {
            EffortUnit::Cpu => Some(run.cpu.as_secs_f64()),
            EffortUnit::Work => run.work.map(|work| work as f64 / self.usual[solver]),
        }
    }

    /// The run of each solver on a script, or why it does not run.
    fn runs(&mut self, script: &Script, mode: RunMode) -> Result<Vec<Result<SolverRun, String>>, String> {
        let prepared = self.preparation.prepare(script, &script.to_string());
        let run = |(solver, prepared)| self.solver_run(solver, prepared, mode);
        prepared.into_iter().enumerate().map(run).collect()
    }

    /// The run of one solver on a script, or why it does not run.
    fn solver_run(
        &mut self,
        solver: usize,
        prepared: Prepared,
        mode: RunMode,
    ) -> Result<Result<SolverRun, String>, String> {
        Ok(match prepared {
            _ if self.remaining().is_zero() => Err(OUT_OF_TIME.to_owned()),
            Prepared::Spared(why) => Err(format!("{} {why}", self.panel[solver].identity.name)),
            Prepared::Text { text, excuse } => {
                let ask = if self.unit == EffortUnit::Work { Ask::WITH_WORK } else { Ask::ANSWERS_ONLY };
                let query = Query { script: &text, limits: self.limits(), ask };
                let run = self.pool.run(solver, mode, &query)?;
                Ok(SolverRun { solver, options: Vec::new(), text, excuse, asked_model: false, run })
            }
        })
    }
}
