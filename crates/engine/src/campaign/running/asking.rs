//! Runs a solver for a worker: waits while the machine lacks resources, and drops a solver that cannot be run any more.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::case::CaseUnderTest;
use super::worker::{Worker, WorkerReport};
use crate::event::{Event, RunReport};
use crate::prepare::Prepared;
use crate::session::panel::{RunMode, SolverFailure, confirmation_limits, run_limits};
use crate::session::{ModelPolicy, SidePurpose, SideQuery, SolverAccess, SolverRun, TrialSession};
use crate::solver::run::{Query, Run};
use crate::trial::evidence::wants_vote;

/// How often a worker waits for a lacking resource, about four seconds each time, before its solver is lost.
const MAX_SHORTAGE_ROUNDS: u32 = 150;

/// The time between two events about lacking resources.
const SHORTAGE_TELL_INTERVAL: Duration = Duration::from_secs(10);

/// The least CPU time that a side query is worth being run for.
const MIN_SIDE_CPU: Duration = Duration::from_millis(10);

/// Access to solvers on behalf of the oracles.
///
/// Models, claims and clauses are checked as a matter of routine. All routine side queries of a solver together get as much CPU time as
/// its run of the case: a script of many questions, or with replies that are hard to check, would otherwise cost as much as a
/// hundred others. Queries that settle a contradiction or confirm a finding are not limited in this way.
pub(super) struct WorkerAccess<'w, 'a, 'm> {
    worker: &'w mut Worker<'a>,
    /// The text for each solver; empty if no further solver may be asked.
    prepared: &'m [Prepared],
    under_test: &'m CaseUnderTest<'m>,
    mode: RunMode,
    /// CPU time that is left to each solver for routine side queries.
    side_budgets: Vec<Duration>,
}

impl<'w, 'a, 'm> WorkerAccess<'w, 'a, 'm> {
    /// Access through the processes of a worker.
    pub fn new(
        worker: &'w mut Worker<'a>,
        prepared: &'m [Prepared],
        under_test: &'m CaseUnderTest<'m>,
        mode: RunMode,
    ) -> Self {
        let whole = Duration::from_secs_f64(worker.context.limits.seconds);
        let budget = |solver: usize| under_test.allowance(solver).unwrap_or(whole);
        let side_budgets = (0..worker.context.panel.len()).map(budget).collect();
        WorkerAccess { worker, prepared, under_test, mode, side_budgets }
    }

    /// Asks references, one after the other, while their votes could tell whether an answer is right; returns those that were not asked.
    pub fn ask_references(
        &mut self,
        session: &mut TrialSession<'_>,
        references: Vec<usize>,
        drawn: &[Vec<String>],
    ) -> Vec<usize> {
        if references.is_empty() {
            return references;
        }
        session.check_models(self);
        session.exhaust();
        let mut left = references.into_iter();
        while wants_vote(&session.trial)
            && let Some(reference) = left.next()
        {
            let prepared = &self.prepared[reference];
            if let Some(run) = self.worker.ask(reference, &drawn[reference], prepared, self.under_test) {
                session.add(run);
                session.check_models(self);
            }
        }
        left.collect()
    }

    /// Returns true if a side query is a matter of routine.
    fn is_routine(&self, purpose: SidePurpose) -> bool {
        let is_wanted =
            purpose == SidePurpose::Model && self.under_test.models == ModelPolicy::IfContradicted;
        self.mode == RunMode::Fast && !is_wanted
    }
}

impl SolverAccess for WorkerAccess<'_, '_, '_> {
    fn vote(&mut self, solver: usize) -> Option<SolverRun> {
        self.worker.ask(solver, &[], self.prepared.get(solver)?, self.under_test)
    }

    fn side_query(&mut self, query: &SideQuery<'_>) -> Option<Run> {
        let SideQuery { solver, options, text, ask, .. } = *query;
        let limits = self.worker.context.limits;
        if !self.is_routine(query.purpose) {
            let limits = confirmation_limits(run_limits(limits, None));
            return self.worker.run_beside(solver, self.mode, options, &Query { script: text, limits, ask });
        }
        let budget = self.side_budgets[solver];
        if budget < MIN_SIDE_CPU {
            return None;
        }
        let query = Query { script: text, limits: run_limits(limits, Some(budget)), ask };
        let run = self.worker.run_beside(solver, self.mode, options, &query)?;
        self.side_budgets[solver] = budget.saturating_sub(run.cpu);
        Some(run)
    }
}

impl Worker<'_> {
    /// Returns true if the solver cannot be run any more.
    pub(super) fn is_lost(&self, solver: usize) -> bool {
        self.context.lost[solver].load(Ordering::Relaxed)
    }

    /// Runs a solver on a prepared text; `None` if it is spared or lost.
    pub(super) fn ask(
        &mut self,
        solver: usize,
        options: &[String],
        prepared: &Prepared,
        under_test: &CaseUnderTest<'_>,
    ) -> Option<SolverRun> {
        let Prepared::Text { text, excuse } = prepared else { return None };
        let limits = run_limits(self.context.limits, under_test.allowance(solver));
        let ask = under_test.ask_of(&self.context.panel[solver]);
        let run = self.run(solver, RunMode::Fast, options, &Query { script: text, limits, ask })?;
        let (options, text, excuse) = (options.to_vec(), Arc::clone(text), excuse.clone());
        Some(SolverRun { solver, options, text, excuse, asked_model: ask.model, run })
    }

    /// Runs a solver on a query; `None` if it is lost or the campaign stops.
    pub(super) fn run(
        &mut self,
        solver: usize,
        mode: RunMode,
        options: &[String],
        query: &Query<'_>,
    ) -> Option<Run> {
        if self.is_lost(solver) {
            return None;
        }
        for _ in 0..MAX_SHORTAGE_ROUNDS {
            self.context.own_work.pause(self.number);
            let run = self.pool.run_with(solver, mode, options, query);
            self.context.own_work.resume(self.number);
            match run {
                Ok(mut run) => {
                    run.shortage.iter().for_each(|why| self.tell_shortage(solver, why));
                    self.context.coverage.assess(solver, &mut run);
                    return Some(run);
                }
                Err(SolverFailure { why, is_shortage: false }) => {
                    self.lose(solver, why);
                    return None;
                }
                Err(SolverFailure { why, is_shortage: true }) => self.tell_shortage(solver, &why),
            }
            if self.context.go_on().is_err() {
                self.gave_up = true;
                return None;
            }
        }
        self.lose(solver, "the machine lacks resources for too long".to_owned());
        None
    }

    /// The same for a run beside that of the case or seed, whose CPU time is added up.
    pub(super) fn run_beside(
        &mut self,
        solver: usize,
        mode: RunMode,
        options: &[String],
        query: &Query<'_>,
    ) -> Option<Run> {
        let run = self.run(solver, mode, options, query)?;
        self.side_cpu[solver] += run.cpu;
        Some(run)
    }

    /// Moves the CPU time of the runs beside those of a case or seed into their reports.
    pub(super) fn report_side_cpu(&mut self, reports: &mut [RunReport]) {
        for (solver, cpu) in self.side_cpu.iter_mut().enumerate() {
            let name = &self.context.panel[solver].identity.name;
            if let Some(report) = reports.iter_mut().find(|report| report.solver == *name) {
                report.side_cpu += std::mem::take(cpu);
            }
        }
    }

    /// Tells that a solver had to wait, unless that was told a short time ago.
    fn tell_shortage(&self, solver: usize, why: &str) {
        let mut told = self.context.shortage_told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_some_and(|told| told.elapsed() < SHORTAGE_TELL_INTERVAL) {
            return;
        }
        *told = Some(Instant::now());
        let solver = self.context.panel[solver].identity.name.clone();
        let _ = self.send(WorkerReport::of(Event::Shortage { solver, why: why.to_owned() }));
    }

    /// Runs this solver no more.
    pub(super) fn lose(&self, solver: usize, why: String) {
        if !self.context.lost[solver].swap(true, Ordering::Relaxed) {
            let solver = self.context.panel[solver].identity.name.clone();
            let _ = self.send(WorkerReport::of(Event::SolverLost { solver, why }));
        }
    }
}
