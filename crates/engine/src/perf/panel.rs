//! The target and the references: what they take for a script, and what is wrong with what they say.

mod judge;

use std::sync::Arc;
use std::time::Duration;

use gainsay_smt::{Script, Signature};

use super::score::{Effort, Score};
use crate::prepare::{Preparation, Prepared};
use crate::solver::run::{Answer, Ask, Exit, Limits, Query, Run};
use crate::solver::runner::Setting;
use crate::trial::CrashReport;
use crate::trial::panel::{PanelSolver, RunMode, SolverPool};
use crate::trial::session::SolverRun;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// CPU seconds of a process of its own.
    Cpu,
    /// The solver's own count of its work, beside what is usual for it.
    Work,
}

/// Solvers, the target first.
pub struct Panel<'a> {
    team: &'a [PanelSolver],
    bench: SolverPool<'a>,
    preparation: Preparation,
    limits: Limits,
    unit: Unit,
    /// What each solver's work is divided by.
    usual: Vec<f64>,
}

/// Whether a script has a margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// It has not.
    No,
    /// It has, in this measurement.
    Yes,
    /// It has, and the target does not solve it at all.
    Beyond,
}

/// The part of its CPU time after which a solver counts as one that used it.
const FULL: f64 = 0.9;

/// Work that counts as the limit, in terms of what is usual.
pub const WORK_LIMIT: f64 = 1000.0;

impl<'a> Panel<'a> {
    /// Of these solvers; each run may take so long.
    pub fn new(
        team: &'a [PanelSolver],
        setting: &'a Setting,
        timeout: Duration,
        memory: Option<u64>,
        unit: Unit,
        signature: &Arc<Signature>,
    ) -> Panel<'a> {
        let limits = Limits {
            // A busy machine may give much less than a processor: it is CPU time that counts.
            wall: timeout * 10 + Duration::from_secs(5),
            cpu: Some(timeout),
            grace: Duration::ZERO,
            memory,
            ..Limits::default()
        };
        let preparation = Preparation::for_panel(team, signature);
        Panel {
            team,
            bench: SolverPool::new(team, setting),
            preparation,
            limits,
            unit,
            usual: vec![1.0; team.len()],
        }
    }

    /// What counts as the limit, in the unit of scores.
    pub fn limit(&self) -> f64 {
        match self.unit {
            Unit::Cpu => self.limits.cpu.unwrap_or(self.limits.wall).as_secs_f64(),
            Unit::Work => WORK_LIMIT,
        }
    }

    /// Whether a solver tells the work that it does.
    pub fn counts_work(&self) -> Result<(), String> {
        match self.team.iter().find(|member| member.solver.profile.work.is_none()) {
            Some(member) => Err(format!("{} does not count its work", member.identity.name)),
            None => Ok(()),
        }
    }

    /// What each solver takes for a script.
    pub fn efforts(&mut self, script: &Script) -> Result<Vec<Effort>, String> {
        let efforts = self.efforts_once(script)?;
        if !efforts.iter().any(|effort| matches!(effort, Effort::Crashed(_))) {
            return Ok(efforts);
        }
        // Only what repeats is a finding.
        let again = self.efforts_once(script)?;
        let sure = |(here, there): (Effort, Effort)| match (&here, &there) {
            (Effort::Crashed(first), Effort::Crashed(second)) if first.fingerprint == second.fingerprint => {
                here
            }
            (Effort::Crashed(finding), _) => Effort::Lost(format!("{}, and not again", finding.explanation)),
            _ => here,
        };
        Ok(efforts.into_iter().zip(again).map(sure).collect())
    }

    /// References come first. Where one of them does not solve a script nobody else needs to be asked: the target
    /// cannot be slower than that, and it would be the dearest of all queries.
    fn efforts_once(&mut self, script: &Script) -> Result<Vec<Effort>, String> {
        let text = script.to_string();
        let prepared = self.preparation.prepare(script, &text);
        let mut efforts = vec![Effort::Spared; self.team.len()];
        let mut members: Vec<(usize, Prepared)> = prepared.into_iter().enumerate().collect();
        members.rotate_left(1);
        for (member, prepared) in members {
            let run = self.solver_run(member, prepared, RunMode::Fresh)?;
            efforts[member] = self.effort(member, run);
            if efforts[member] == Effort::Unsolved {
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

    /// Whether a script has a margin of at least so much. References come first: if they take too long, nobody waits for
    /// the target.
    pub fn keeps(&mut self, script: &Script, least: f64) -> Result<Keeps, String> {
        let text = script.to_string();
        let prepared = self.preparation.prepare(script, &text);
        let limit = self.limit();
        let mut worst = 0.0_f64;
        for (member, prepared) in prepared.into_iter().enumerate().rev() {
            let run = self.solver_run(member, prepared, RunMode::Fresh)?;
            let effort = self.effort(member, run);
            let Some(took) = effort.par2(limit) else { return Ok(Keeps::No) };
            if member == 0 {
                return Ok(match effort {
                    _ if took - worst < least => Keeps::No,
                    Effort::Unsolved => Keeps::Beyond,
                    _ => Keeps::Yes,
                });
            }
            worst = worst.max(took);
            if 2.0 * limit - worst < least {
                return Ok(Keeps::No);
            }
        }
        Ok(Keeps::No)
    }

    /// Learns what work is usual from scripts, and says which solvers did not answer to any of them, and why.
    pub fn calibrate(&mut self, scripts: &[Script]) -> Result<Vec<(usize, String)>, String> {
        let mut works: Vec<Vec<f64>> = vec![Vec::new(); self.team.len()];
        let mut refusals: Vec<(usize, String)> = vec![(0, String::new()); self.team.len()];
        for script in scripts {
            for (member, run) in self.runs(script, RunMode::Fresh)?.into_iter().enumerate() {
                let work = run.as_ref().ok().and_then(|run| run.run.work);
                works[member].extend(work.map(|work| work as f64));
                if let Effort::Lost(why) = self.effort(member, run) {
                    refusals[member] = (refusals[member].0 + 1, why);
                }
            }
        }
        for (usual, mut works) in self.usual.iter_mut().zip(works) {
            works.sort_by(f64::total_cmp);
            *usual = works.get(works.len() / 2).copied().unwrap_or(1.0).max(1.0);
        }
        let deaf = refusals.into_iter().enumerate().filter(|(_, (count, _))| *count == scripts.len());
        Ok(deaf.map(|(member, (_, why))| (member, why)).collect())
    }

    fn effort(&self, member: usize, run: Result<SolverRun, String>) -> Effort {
        let run = match run {
            Err(why) => return Effort::Lost(why),
            Ok(run) => run.run,
        };
        let subject = &self.team[member].identity;
        if let Some(crash) = CrashReport::of(&run) {
            return Effort::Crashed(Box::new(crash.finding(subject)));
        }
        // Whose time is over by the clock and not by what it used was kept waiting, which is no fault of its own.
        let enough = self.limits.cpu.is_none_or(|limit| run.cpu >= limit.mul_f64(FULL));
        if run.exit == Exit::WallLimit && !enough {
            let (used, wall) = (run.cpu.as_secs_f64(), self.limits.wall.as_secs_f64());
            return Effort::Lost(format!("{} got {used:.1} s of CPU in {wall:.1} s", subject.name));
        }
        let kind = run.trouble.as_ref().map(|trouble| trouble.kind);
        let limited = matches!(run.exit, Exit::WallLimit | Exit::CpuLimit | Exit::MemoryLimit)
            || kind.is_some_and(crate::solver::trouble::TroubleKind::is_limit);
        match (run.answers.last(), &run.trouble) {
            (_, _) if limited => Effort::Unsolved,
            (_, Some(trouble)) => Effort::Lost(format!("{}: {trouble}", subject.name)),
            // Who gives up early is not slow.
            (Some(Answer::Unknown), None) => Effort::Lost(format!("{} says unknown", subject.name)),
            (Some(_), None) => match self.took(member, &run) {
                Some(took) if took >= self.limit() => Effort::Unsolved,
                Some(took) => Effort::Solved(took),
                None => Effort::Lost(format!("{} told no count of its work", subject.name)),
            },
            (None, None) => Effort::Lost(format!("{} did not answer", subject.name)),
        }
    }

    fn took(&self, member: usize, run: &Run) -> Option<f64> {
        match self.unit {
            Unit::Cpu => Some(run.cpu.as_secs_f64()),
            Unit::Work => run.work.map(|work| work as f64 / self.usual[member]),
        }
    }

    /// The run of each solver on a script, or why it is not asked.
    fn runs(&mut self, script: &Script, mode: RunMode) -> Result<Vec<Result<SolverRun, String>>, String> {
        let prepared = self.preparation.prepare(script, &script.to_string());
        let run = |(solver, prepared)| self.solver_run(solver, prepared, mode);
        prepared.into_iter().enumerate().map(run).collect()
    }

    /// The run of one solver on a script, or why it is not asked.
    fn solver_run(
        &mut self,
        solver: usize,
        prepared: Prepared,
        mode: RunMode,
    ) -> Result<Result<SolverRun, String>, String> {
        Ok(match prepared {
            Prepared::Spared(why) => Err(format!("{} {why}", self.team[solver].identity.name)),
            Prepared::Text { text, excuse } => {
                let ask = if self.unit == Unit::Work { Ask::WORK } else { Ask::NOTHING };
                let query = Query { script: &text, limits: self.limits, ask };
                let run = self.bench.run(solver, mode, &query)?;
                Ok(SolverRun { solver, options: Vec::new(), text, excuse, asked_model: false, run })
            }
        })
    }
}
