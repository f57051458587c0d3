//! A worker takes chains from the agenda, runs their cases in turn, and reports each case when it is done.
//!
//! Workers share only the agenda, the facts about seeds, and the list of lost solvers. A panic in our code costs the case that
//! it happened in.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gainsay_smt::horn::System;
use gainsay_smt::{Script, Signature};

use super::case::{CaseOutcome, CaseUnderTest, RunningChain};
use super::own_work::{CaseAtWork, OwnWork};
use super::seed_probe::SeedProbes;
use super::seed_status::Statuses;
use crate::campaign::ask_once::Halted;
use crate::campaign::choosing::agenda::{Agenda, ChainTask};
use crate::campaign::choosing::guide::{ChainStart, Guide};
use crate::campaign::choosing::steering::Steering;
use crate::campaign::choosing::steering::kept::{MAX_KEPT_BYTES, QueuedScript};
use crate::campaign::plan::{CampaignPlan, HornPlan, RunLimits};
use crate::campaign::scripts::advice::Advice;
use crate::campaign::scripts::chain::{Chain, Reread, panic_message};
use crate::campaign::scripts::partners::PartnerLibrary;
use crate::campaign::scripts::recipe::{Recipe, Visits};
use crate::event::{CaseNumber, Event, RunReport};
use crate::feedback::chain_end::{ChainLimits, ChainProgress};
use crate::prepare::Preparation;
use crate::seeds::{Seed, SeedChanged};
use crate::session::ModelPolicy;
use crate::session::coverage::PanelCoverage;
use crate::session::panel::{PanelSolver, SolverPool};
use crate::solver::runner::Launcher;
use crate::store::{AdviceRecord, ChainRecord, FindingDetails, SeedRecord, StartRecord, StatusRecord};

/// The part of a campaign that all its workers share.
pub struct CampaignContext<'a> {
    /// Determines the chains, apart from the seeds.
    pub recipe: &'a Recipe,
    /// The number of cases of a chain.
    pub steps: u64,
    /// The language.
    pub signature: &'a Arc<Signature>,
    /// The seeds.
    pub seeds: &'a [Seed],
    /// Their statuses, as far as known.
    pub statuses: &'a Statuses,
    /// The library of second parents, if a strategy takes two parents.
    pub library: Option<PartnerLibrary<'a>>,
    /// The solvers.
    pub panel: &'a [PanelSolver],
    /// How solver processes are started.
    pub launcher: &'a Launcher,
    /// The coverage of the solvers, as far as it is measured.
    pub coverage: &'a PanelCoverage,
    /// Makes the text that each solver gets.
    pub preparation: &'a Preparation,
    /// The limits of each run.
    pub limits: RunLimits,
    /// The plan.
    pub plan: &'a CampaignPlan,
    /// Orders seeds and weighs mutations by the traces of earlier runs.
    pub guide: &'a Guide,
    /// The choices of the bandit, if one leads.
    pub steering: Option<&'a Steering>,
    /// Which chain is next.
    pub agenda: Agenda,
    /// The runs of the seeds themselves.
    pub probes: SeedProbes,
    /// Values for the constants of seeds.
    pub advice: Advice<'a>,
    /// Solvers that cannot be run any more.
    pub lost: Vec<AtomicBool>,
    /// When the listener was last told that a solver had to wait for a resource.
    pub shortage_told: Mutex<Option<Instant>>,
    /// What each worker is busy with.
    pub own_work: OwnWork,
    /// Tells workers to end after their current case, and before the next run of a seed.
    pub halt: AtomicBool,
}

impl CampaignContext<'_> {
    /// Returns an error if the campaign is stopping.
    pub fn go_on(&self) -> Result<(), Halted> {
        if self.halt.load(Ordering::Relaxed) { Err(Halted) } else { Ok(()) }
    }

    /// The solvers for a worker, with nothing started yet.
    fn pool(&self) -> SolverPool<'_> {
        SolverPool::new(self.panel, self.launcher).covered(self.coverage)
    }

    /// The script of a case, if it reached new code and such scripts are kept. Fused scripts and those with questions are not.
    pub(super) fn keep(
        &self,
        case: CaseNumber,
        under_test: &CaseUnderTest<'_>,
        runs: &[RunReport],
    ) -> Option<QueuedScript> {
        let is_new = runs.iter().any(|run| run.new_code > 0);
        let is_wanted = self.plan.queue && is_new && under_test.joined.is_empty();
        (is_wanted && under_test.text.len() <= MAX_KEPT_BYTES).then(|| QueuedScript {
            case,
            seed: 0,
            status: under_test.promise.answer(),
            text: under_test.text.to_owned(),
            chains: 0,
        })
    }

    /// Draws the options of a solver for a case of this strategy.
    pub fn draw(&self, case: CaseNumber, strategy: &str, solver: usize) -> Vec<String> {
        let stream = self.recipe.stream_of(case).child("options", solver as u64);
        self.panel[solver].draw(self.plan.options_for(strategy), &stream)
    }

    /// The start of a chain, if it does not follow from the chain's number; the outer `None` means that the campaign stopped first.
    fn start(&self, task: &ChainTask) -> Option<Option<ChainStart>> {
        if let Some((record, kept)) = task.start.clone() {
            return Some(Some(ChainStart { record, is_recorded: true, kept }));
        }
        let Some(steering) = self.steering else { return Some(self.guide.start(task.chain)) };
        let (record, kept) = steering.start(task.chain, &self.halt)?;
        Some(Some(ChainStart { record, is_recorded: task.from > 0, kept }))
    }

    /// The limits at which a chain ends before its last step.
    pub fn chain_limits(&self) -> ChainLimits {
        let HornPlan { bugs, unknowns, stale, .. } = self.plan.horn;
        ChainLimits { runs: self.steps, bugs, unknowns, stale }
    }

    /// Returns true if a solver is a reference, which is asked only where nothing else tells whether an answer is right.
    pub fn is_reference(&self, solver: usize) -> bool {
        solver + self.plan.references.len() >= self.panel.len()
    }

    /// Which models are checked in a case: all of them if the strategy preserves the answer, or if a valid one makes a run of a
    /// reference unnecessary; else those of a drawn part of the cases.
    pub fn models(&self, case: CaseNumber, strategy: &str) -> ModelPolicy {
        if self.recipe.keeps_answer(strategy) || !self.plan.references.is_empty() {
            return ModelPolicy::All;
        }
        let mut rng = self.recipe.stream_of(case).child("models", 0).rng();
        let is_drawn = rng.chance(usize::from(self.plan.models.percent), 100);
        if is_drawn { ModelPolicy::All } else { ModelPolicy::IfContradicted }
    }
}

/// The results of a worker, to be recorded in one batch.
#[derive(Debug, Default)]
pub struct WorkerReport {
    /// The events, in order.
    pub events: Vec<Event>,
    /// Confirmed findings.
    pub sightings: Vec<FindingDetails>,
    /// The progress of the chain.
    pub chain: Option<ChainRecord>,
    /// A seed that was used for the first time.
    pub seed: Option<SeedRecord>,
    /// The status that solvers gave to a seed that claims none.
    pub status: Option<StatusRecord>,
    /// The advice of a solver about a seed.
    pub advice: Option<AdviceRecord>,
    /// The start of a chain.
    pub start: Option<StartRecord>,
    /// The script of the case, if it reached new code and is kept.
    pub kept: Option<QueuedScript>,
}

impl WorkerReport {
    /// A report of one event.
    pub fn of(event: Event) -> Self {
        WorkerReport { events: vec![event], ..WorkerReport::default() }
    }
}

/// The coordinator has closed the channel.
pub(super) struct CoordinatorGone;

/// Why a chain cannot be run.
enum NoChain {
    /// The campaign is stopping; the chain is started when it resumes.
    Halted,
    /// The seed cannot be used, for this reason.
    Unusable(&'static str),
}

impl From<Halted> for NoChain {
    fn from(_: Halted) -> NoChain {
        NoChain::Halted
    }
}

/// Works until no chain is left or the campaign stops.
pub fn work(context: &CampaignContext<'_>, number: usize, reports: &SyncSender<WorkerReport>) {
    let visits = context.recipe.visits(context.seeds.len());
    let pool = context.pool();
    let side_cpu = vec![Duration::ZERO; context.panel.len()];
    let mut worker = Worker { context, number, reports, visits, pool, side_cpu, gave_up: false };
    while !context.halt.load(Ordering::Relaxed)
        && let Some(seed) = context.guide.next_unprobed_seed()
    {
        worker.look(seed);
    }
    while !context.halt.load(Ordering::Relaxed) {
        let Some(task) = context.agenda.next(&context.halt) else { return };
        let done = worker.chain(&task);
        context.own_work.end(number);
        if done.is_err() {
            return;
        }
    }
}

/// One worker and its solvers.
pub(super) struct Worker<'a> {
    pub context: &'a CampaignContext<'a>,
    /// Its number among the workers.
    pub number: usize,
    reports: &'a SyncSender<WorkerReport>,
    visits: Visits,
    pub pool: SolverPool<'a>,
    /// CPU time of runs beside those of the current case or seed, by solver.
    pub side_cpu: Vec<Duration>,
    /// Whether the campaign stopped while a solver waited for a resource: the case is not done.
    pub gave_up: bool,
}

impl<'a> Worker<'a> {
    pub fn send(&self, report: WorkerReport) -> Result<(), CoordinatorGone> {
        self.reports.send(report).map_err(|_| CoordinatorGone)
    }

    /// Runs a seed itself before the first chain, because the order of seeds depends on it.
    fn look(&mut self, number: usize) {
        let context = self.context;
        let looked = panic::catch_unwind(AssertUnwindSafe(|| {
            let text = context.seeds[number].read().ok()?;
            let script = Script::parse(&text, context.signature).ok()?;
            context.probes.get(number, || self.probe(number, &script, text)).ok()
        }));
        if looked.is_err() {
            // The panic is reported when a chain of the seed repeats it.
            self.pool = context.pool();
        }
    }

    fn chain(&mut self, task: &ChainTask) -> Result<(), CoordinatorGone> {
        let Some(start) = self.context.start(task) else { return Ok(()) };
        if let Some(ChainStart { record, is_recorded: false, kept }) = &start {
            let seed = kept.as_ref().map(|kept| kept.record(task.chain));
            self.send(WorkerReport { start: Some(record.clone()), seed, ..WorkerReport::default() })?;
        }
        self.at_work(task, task.from, String::new());
        let begun = panic::catch_unwind(AssertUnwindSafe(|| self.begin(task, start.as_ref())));
        let mut running = match begun {
            Ok(Ok(running)) => running,
            Ok(Err(NoChain::Halted)) => return Ok(()),
            Ok(Err(NoChain::Unusable(why))) => {
                return self.end(task, task.from, WorkerReport::default(), why);
            }
            Err(payload) => {
                self.pool = self.context.pool();
                let report = our_bug(self.case_number(task, task.from), payload.as_ref());
                return self.end(task, task.from + 1, report, "the chain began with an error of gainsay");
            }
        };
        for step in task.from..task.to {
            if self.context.halt.load(Ordering::Relaxed) {
                return Ok(());
            }
            let case = self.case_number(task, step);
            self.at_work(task, step, running.seed.name.clone());
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| self.case(&mut running, case)));
            let outcome = outcome.unwrap_or_else(|payload| {
                // After a panic, the solver processes may be in any state.
                self.pool = self.context.pool();
                CaseOutcome::Done(our_bug(case, payload.as_ref()))
            });
            match outcome {
                CaseOutcome::Halted => return Ok(()),
                CaseOutcome::Void => {
                    // Later chains must not wait for this one.
                    self.context.steering.iter().for_each(|steering| steering.leave(task.chain));
                    return Ok(());
                }
                CaseOutcome::Last(report, why) => return self.end(task, step + 1, report, why),
                CaseOutcome::Done(mut report) => {
                    let next = (step + 1 < self.context.steps).then_some(step + 1);
                    report.chain = Some(ChainRecord { chain: task.chain, next, out: self.out(&running) });
                    self.send(report)?;
                }
            }
        }
        Ok(())
    }

    /// Tells the coordinator what this worker is busy with.
    fn at_work(&self, task: &ChainTask, step: u64, seed: String) {
        let case = CaseAtWork { task: task.clone(), step, case: self.case_number(task, step), seed };
        self.context.own_work.begin(self.number, case);
    }

    /// Reads and probes the seed, and remakes the steps that an earlier session has run.
    fn begin(&mut self, task: &ChainTask, start: Option<&ChainStart>) -> Result<RunningChain<'a>, NoChain> {
        let context = self.context;
        let kept = start.and_then(|start| start.kept.as_ref());
        let start = start.map(|start| &start.record);
        let number = start.map_or_else(|| self.visits.seed_of(task.chain), |start| start.seed);
        let seed = &context.seeds[number];
        let text = seed.read().map_err(|changed| match changed {
            SeedChanged::Gone { .. } => NoChain::Unusable("the seed cannot be read any more"),
            SeedChanged::Other(_) => NoChain::Unusable("the seed was changed since the campaign began"),
        })?;
        let script = Script::parse(&text, context.signature)
            .map_err(|_| NoChain::Unusable("the seed is no script"))?;
        let probe = context.probes.get(number, || self.probe(number, &script, text))?;
        let out = context.panel.iter().map(|solver| {
            task.out.iter().find(|(name, _)| *name == solver.identity.name).map(|(_, why)| why.clone())
        });
        let kept_script = kept.map(|kept| Script::parse(&kept.text, context.signature)).transpose();
        let kept_script = kept_script.map_err(|_| NoChain::Unusable("the kept script is no script"))?;
        let status = kept.map_or_else(|| context.statuses.get(number).answer(), |kept| kept.status);
        let first = kept_script.as_ref().unwrap_or(&script);
        let mut chain = Chain::new(context.recipe, task.chain, first, status, Reread::Yes);
        if let Some(library) = &context.library {
            chain = chain.with_partners(number, library);
        }
        // Advice is about the constants and clauses of the seed.
        let advised = if kept.is_some() { None } else { self.advised(number, chain.seed())? };
        if let Some(advised) = advised {
            let visits = start.map_or(task.chain / context.seeds.len() as u64, |start| start.visits);
            chain = chain.with_advice(advised, visits);
        }
        let mut progress = None;
        if let Some(start) = start {
            chain = chain.with_start(start);
        }
        if context.guide.leads() {
            let system = System::read(&script)
                .map_err(|_| NoChain::Unusable("the seed is no system of Horn clauses"))?;
            progress = Some(ChainProgress::new(system.clauses.len() as u64));
        }
        let steps = kept.map(QueuedScript::description).into_iter().chain(chain.origin()).collect();
        let (out, is_after_side_step) = (out.collect(), false);
        let mut running = RunningChain { chain, seed, probe, steps, is_after_side_step, out, progress };
        for _ in 0..task.from {
            running.step();
        }
        Ok(running)
    }

    /// Ends a chain before step `from`; the rest of its cases count as skipped.
    fn end(
        &self,
        task: &ChainTask,
        from: u64,
        mut report: WorkerReport,
        why: &str,
    ) -> Result<(), CoordinatorGone> {
        if from < task.to {
            report.events.push(Event::Skipped {
                case: self.case_number(task, from),
                count: task.to - from,
                strategy: None,
                why: why.to_owned(),
            });
        }
        report.chain = Some(ChainRecord { chain: task.chain, next: None, out: Vec::new() });
        self.send(report)
    }

    fn case_number(&self, task: &ChainTask, step: u64) -> u64 {
        self.context.recipe.cases_of(task.chain).start + step
    }

    fn out(&self, running: &RunningChain<'_>) -> Vec<(String, String)> {
        let names = self.context.panel.iter().map(|solver| solver.identity.name.clone());
        names.zip(&running.out).filter_map(|(name, why)| Some((name, why.clone()?))).collect()
    }
}

fn our_bug(case: u64, payload: &(dyn std::any::Any + Send)) -> WorkerReport {
    WorkerReport::of(Event::OurBug { case, message: format!("a panic: {}", panic_message(payload)) })
}
