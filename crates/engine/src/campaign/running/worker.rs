//! A worker: takes chains from the agenda, runs their cases in turn, and reports each as it is done.
//!
//! A worker decides nothing about the campaign and shares nothing with others but the agenda and what is known of seeds
//! and lost solvers. A panic of ours costs the case that it happened in.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use gainsay_smt::horn::System;
use gainsay_smt::{Script, Signature};

use super::case::{CaseOutcome, RunningChain};
use super::seed_probe::SeedProbes;
use super::seed_status::Statuses;
use crate::campaign::ask_once::Halted;
use crate::campaign::choosing::agenda::{Agenda, ChainTask};
use crate::campaign::choosing::guide::{ChainStart, Guide};
use crate::campaign::choosing::steering::Steering;
use crate::campaign::plan::{CampaignPlan, HornPlan, RunLimits};
use crate::campaign::scripts::advice::Advice;
use crate::campaign::scripts::chain::{Chain, Reread, panic_message};
use crate::campaign::scripts::partners::PartnerLibrary;
use crate::campaign::scripts::recipe::{Recipe, Visits};
use crate::event::{CaseNumber, Event};
use crate::feedback::chain_end::{ChainLimits, ChainProgress};
use crate::prepare::Preparation;
use crate::seeds::{Seed, SeedChanged};
use crate::solver::runner::Setting;
use crate::store::{AdviceRecord, ChainRecord, Exhibit, SeedRecord, StartRecord, StatusRecord};
use crate::trial::panel::{PanelSolver, SolverPool};
use crate::trial::session::ModelPolicy;

/// What the workers of a campaign share.
pub struct CampaignContext<'a> {
    /// What chains follow from, but for the seeds.
    pub recipe: &'a Recipe,
    /// Cases of a chain.
    pub steps: u64,
    /// The language.
    pub signature: &'a Arc<Signature>,
    /// The seeds.
    pub seeds: &'a [Seed],
    /// Their statuses, as far as they are known.
    pub statuses: &'a Statuses,
    /// Where second parents come from, if a strategy takes two.
    pub library: Option<PartnerLibrary<'a>>,
    /// The solvers.
    pub panel: &'a [PanelSolver],
    /// How they are started.
    pub setting: &'a Setting,
    /// How cases are put to them.
    pub preparation: &'a Preparation,
    /// What each run may use.
    pub limits: RunLimits,
    /// Everything else that decides what is done.
    pub plan: &'a CampaignPlan,
    /// What runs showed.
    pub guide: &'a Guide,
    /// What an agent chose, if one leads.
    pub steering: Option<&'a Steering>,
    /// Which chain is next.
    pub agenda: Agenda,
    /// What is known of the seeds.
    pub probes: SeedProbes,
    /// Values for the constants of seeds.
    pub advice: Advice<'a>,
    /// Solvers that cannot be run any more.
    pub lost: Vec<AtomicBool>,
    /// Set when workers shall end after the case that they are at, and before the next run of a seed.
    pub halt: AtomicBool,
}

impl CampaignContext<'_> {
    /// An error if the campaign is to end.
    pub fn go_on(&self) -> Result<(), Halted> {
        if self.halt.load(Ordering::Relaxed) { Err(Halted) } else { Ok(()) }
    }

    /// The options that are drawn for a solver in a case of this strategy.
    pub fn draw(&self, case: CaseNumber, strategy: &str, solver: usize) -> Vec<String> {
        let stream = self.recipe.stream_of(case).child("options", solver as u64);
        self.panel[solver].draw(self.plan.options_for(strategy), &stream)
    }

    /// What a chain is begun with, if that does not follow from its number; nothing if the campaign is to end before that is known.
    fn start(&self, task: &ChainTask) -> Option<Option<ChainStart>> {
        let Some(steering) = self.steering else { return Some(self.guide.start(task.chain)) };
        let record = steering.start(task.chain, &self.halt)?;
        Some(Some(ChainStart { record, is_recorded: task.from > 0 }))
    }

    /// When a chain ends before its last step.
    pub fn chain_limits(&self) -> ChainLimits {
        let HornPlan { bugs, unknowns, stale, .. } = self.plan.horn;
        ChainLimits { runs: self.steps, bugs, unknowns, stale }
    }

    /// Which models are looked at in a case: all where they can be wrong in a way that no answer shows.
    pub fn models(&self, case: CaseNumber, strategy: &str) -> ModelPolicy {
        if self.recipe.keeps_answer(strategy) {
            return ModelPolicy::All;
        }
        let mut rng = self.recipe.stream_of(case).child("models", 0).rng();
        let is_drawn = rng.chance(usize::from(self.plan.models.percent), 100);
        if is_drawn { ModelPolicy::All } else { ModelPolicy::IfContradicted }
    }
}

/// What happened, to be recorded all together.
#[derive(Debug, Default)]
pub struct WorkerReport {
    /// In order.
    pub events: Vec<Event>,
    /// Findings that happened again in fresh processes.
    pub sightings: Vec<Exhibit>,
    /// How far the chain is now.
    pub chain: Option<ChainRecord>,
    /// A seed that was used for the first time.
    pub seed: Option<SeedRecord>,
    /// What solvers said of a seed that claims no status.
    pub status: Option<StatusRecord>,
    /// What a helper said about a seed.
    pub advice: Option<AdviceRecord>,
    /// What a chain is begun with.
    pub start: Option<StartRecord>,
}

impl WorkerReport {
    /// Of one event.
    pub fn of(event: Event) -> Self {
        WorkerReport { events: vec![event], ..WorkerReport::default() }
    }
}

/// Nobody listens any more.
pub(super) struct CoordinatorGone;

/// Why there is no chain.
enum NoChain {
    /// The campaign is to end: the chain is begun when it goes on.
    Halted,
    /// The seed cannot be used, and why.
    Unusable(&'static str),
}

impl From<Halted> for NoChain {
    fn from(_: Halted) -> NoChain {
        NoChain::Halted
    }
}

/// Works until there is nothing left to do, or it shall end.
pub fn work(context: &CampaignContext<'_>, reports: &SyncSender<WorkerReport>) {
    let visits = context.recipe.visits(context.seeds.len());
    let mut worker =
        Worker { context, reports, visits, pool: SolverPool::new(context.panel, context.setting) };
    while !context.halt.load(Ordering::Relaxed)
        && let Some(seed) = context.guide.next_unprobed_seed()
    {
        worker.look(seed);
    }
    while !context.halt.load(Ordering::Relaxed) {
        let Some(task) = context.agenda.next() else { return };
        if worker.chain(&task).is_err() {
            return;
        }
    }
}

/// One worker and its solvers.
pub(super) struct Worker<'a> {
    pub context: &'a CampaignContext<'a>,
    reports: &'a SyncSender<WorkerReport>,
    visits: Visits,
    pub pool: SolverPool<'a>,
}

impl<'a> Worker<'a> {
    pub fn send(&self, report: WorkerReport) -> Result<(), CoordinatorGone> {
        self.reports.send(report).map_err(|_| CoordinatorGone)
    }

    /// Runs a seed itself, before any chain is begun: which come first depends on it.
    fn look(&mut self, number: usize) {
        let context = self.context;
        let looked = panic::catch_unwind(AssertUnwindSafe(|| {
            let text = context.seeds[number].read().ok()?;
            let script = Script::parse(&text, context.signature).ok()?;
            context.probes.get(number, || self.probe(number, &script, text)).ok()
        }));
        if looked.is_err() {
            // The chain of the seed will tell.
            self.pool = SolverPool::new(context.panel, context.setting);
        }
    }

    fn chain(&mut self, task: &ChainTask) -> Result<(), CoordinatorGone> {
        let Some(start) = self.context.start(task) else { return Ok(()) };
        if let Some(ChainStart { record, is_recorded: false }) = &start {
            self.send(WorkerReport { start: Some(record.clone()), ..WorkerReport::default() })?;
        }
        let start = start.map(|start| start.record);
        let begun = panic::catch_unwind(AssertUnwindSafe(|| self.begin(task, start.as_ref())));
        let mut running = match begun {
            Ok(Ok(running)) => running,
            Ok(Err(NoChain::Halted)) => return Ok(()),
            Ok(Err(NoChain::Unusable(why))) => {
                return self.end(task, task.from, WorkerReport::default(), why);
            }
            Err(payload) => {
                self.pool = SolverPool::new(self.context.panel, self.context.setting);
                let report = our_bug(self.case_number(task, task.from), payload.as_ref());
                return self.end(task, task.from + 1, report, "the chain began with an error of gainsay");
            }
        };
        for step in task.from..task.to {
            if self.context.halt.load(Ordering::Relaxed) {
                return Ok(());
            }
            let case = self.case_number(task, step);
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| self.case(&mut running, case)));
            let outcome = outcome.unwrap_or_else(|payload| {
                // Whatever it was doing with its solvers, it is not to be trusted any more.
                self.pool = SolverPool::new(self.context.panel, self.context.setting);
                CaseOutcome::Done(our_bug(case, payload.as_ref()))
            });
            match outcome {
                CaseOutcome::Halted => return Ok(()),
                CaseOutcome::Void => {
                    // Nobody is to wait for it.
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

    /// Reads and probes the seed, and makes what an earlier session has run. The error says why there is no chain.
    fn begin(&mut self, task: &ChainTask, start: Option<&StartRecord>) -> Result<RunningChain<'a>, NoChain> {
        let context = self.context;
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
        let status = context.statuses.get(number).answer();
        let mut chain = Chain::new(context.recipe, task.chain, &script, status, Reread::Yes);
        if let Some(library) = &context.library {
            chain = chain.with_partners(number, library);
        }
        if let Some(advised) = self.advised(number, chain.script())? {
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
        let mut running =
            RunningChain { chain, seed, probe, steps: Vec::new(), out: out.collect(), progress };
        for _ in 0..task.from {
            running.step();
        }
        Ok(running)
    }

    /// Ends a chain after a report, before step `from`; the rest of its cases are skipped.
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
