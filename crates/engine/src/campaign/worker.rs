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

use super::advice::Advice;
use super::agenda::{Agenda, Task};
use super::case::{CaseOutcome, RunningChain};
use super::chain::{Chain, Reread, words_of};
use super::guide::{Guide, Start};
use super::once::Halted;
use super::partners::Library;
use super::plan::{HornPlan, Plan, RunLimits};
use super::probe::Probes;
use super::recipe::{Recipe, Visits};
use super::status::Statuses;
use super::steering::Steering;
use crate::event::{CaseNumber, Event};
use crate::feedback::chain_end::{ChainLimits, ChainProgress};
use crate::prepare::Preparation;
use crate::seeds::{Seed, SeedChanged};
use crate::solver::runner::Setting;
use crate::store::{AdviceRecord, ChainRecord, Exhibit, SeedRecord, StartRecord, StatusRecord};
use crate::trial::panel::{PanelSolver, SolverPool};
use crate::trial::session::ModelPolicy;

/// What the workers of a campaign share.
pub struct Shared<'a> {
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
    pub library: Option<Library<'a>>,
    /// The solvers.
    pub team: &'a [PanelSolver],
    /// How they are started.
    pub setting: &'a Setting,
    /// How cases are put to them.
    pub preparation: &'a Preparation,
    /// What each run may use.
    pub limits: RunLimits,
    /// Everything else that decides what is done.
    pub plan: &'a Plan,
    /// What runs showed.
    pub guide: &'a Guide,
    /// What an agent chose, if one leads.
    pub steering: Option<&'a Steering>,
    /// Which chain is next.
    pub agenda: Agenda,
    /// What is known of the seeds.
    pub probes: Probes,
    /// Values for the constants of seeds.
    pub advice: Advice<'a>,
    /// Solvers that cannot be run any more.
    pub lost: Vec<AtomicBool>,
    /// Set when workers shall end after the case that they are at, and before the next run of a seed.
    pub halt: AtomicBool,
}

impl Shared<'_> {
    /// An error if the campaign is to end.
    pub fn go_on(&self) -> Result<(), Halted> {
        if self.halt.load(Ordering::Relaxed) { Err(Halted) } else { Ok(()) }
    }

    /// The options that are drawn for a solver in a case of this strategy.
    pub fn draw(&self, case: CaseNumber, strategy: &str, member: usize) -> Vec<String> {
        let stream = self.recipe.stream_of(case).child("options", member as u64);
        self.team[member].draw(self.plan.options_for(strategy), &stream)
    }

    /// What a chain is begun with, if that does not follow from its number; nothing if the campaign is to end before that is known.
    fn start(&self, task: &Task) -> Option<Option<Start>> {
        let Some(steering) = self.steering else { return Some(self.guide.start(task.chain)) };
        let record = steering.start(task.chain, &self.halt)?;
        Some(Some(Start { record, is_recorded: task.from > 0 }))
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
pub struct Report {
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

impl Report {
    /// Of one event.
    pub fn of(event: Event) -> Self {
        Report { events: vec![event], ..Report::default() }
    }
}

/// Nobody listens any more.
pub(super) struct Gone;

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
pub fn work(shared: &Shared<'_>, reports: &SyncSender<Report>) {
    let visits = shared.recipe.visits(shared.seeds.len());
    let mut worker = Worker { shared, reports, visits, bench: SolverPool::new(shared.team, shared.setting) };
    while !shared.halt.load(Ordering::Relaxed)
        && let Some(seed) = shared.guide.unlooked()
    {
        worker.look(seed);
    }
    while !shared.halt.load(Ordering::Relaxed) {
        let Some(task) = shared.agenda.next() else { return };
        if worker.chain(&task).is_err() {
            return;
        }
    }
}

/// One worker and its solvers.
pub(super) struct Worker<'a> {
    pub shared: &'a Shared<'a>,
    reports: &'a SyncSender<Report>,
    visits: Visits,
    pub bench: SolverPool<'a>,
}

impl<'a> Worker<'a> {
    pub fn send(&self, report: Report) -> Result<(), Gone> {
        self.reports.send(report).map_err(|_| Gone)
    }

    /// Runs a seed itself, before any chain is begun: which come first depends on it.
    fn look(&mut self, number: usize) {
        let shared = self.shared;
        let looked = panic::catch_unwind(AssertUnwindSafe(|| {
            let text = shared.seeds[number].read().ok()?;
            let script = Script::parse(&text, shared.signature).ok()?;
            shared.probes.get(number, || self.probe(number, &script, text)).ok()
        }));
        if looked.is_err() {
            // The chain of the seed will tell.
            self.bench = SolverPool::new(shared.team, shared.setting);
        }
    }

    fn chain(&mut self, task: &Task) -> Result<(), Gone> {
        let Some(start) = self.shared.start(task) else { return Ok(()) };
        if let Some(Start { record, is_recorded: false }) = &start {
            self.send(Report { start: Some(record.clone()), ..Report::default() })?;
        }
        let start = start.map(|start| start.record);
        let begun = panic::catch_unwind(AssertUnwindSafe(|| self.begin(task, start.as_ref())));
        let mut leg = match begun {
            Ok(Ok(leg)) => leg,
            Ok(Err(NoChain::Halted)) => return Ok(()),
            Ok(Err(NoChain::Unusable(why))) => return self.end(task, task.from, Report::default(), why),
            Err(payload) => {
                self.bench = SolverPool::new(self.shared.team, self.shared.setting);
                let report = our_bug(self.case_number(task, task.from), payload.as_ref());
                return self.end(task, task.from + 1, report, "the chain began with an error of gainsay");
            }
        };
        for step in task.from..task.to {
            if self.shared.halt.load(Ordering::Relaxed) {
                return Ok(());
            }
            let case = self.case_number(task, step);
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| self.case(&mut leg, case)));
            let outcome = outcome.unwrap_or_else(|payload| {
                // Whatever it was doing with its solvers, it is not to be trusted any more.
                self.bench = SolverPool::new(self.shared.team, self.shared.setting);
                CaseOutcome::Done(our_bug(case, payload.as_ref()))
            });
            match outcome {
                CaseOutcome::Halted => return Ok(()),
                CaseOutcome::Void => {
                    // Nobody is to wait for it.
                    self.shared.steering.iter().for_each(|steering| steering.leave(task.chain));
                    return Ok(());
                }
                CaseOutcome::Last(report, why) => return self.end(task, step + 1, report, why),
                CaseOutcome::Done(mut report) => {
                    let next = (step + 1 < self.shared.steps).then_some(step + 1);
                    report.chain = Some(ChainRecord { chain: task.chain, next, out: self.out(&leg) });
                    self.send(report)?;
                }
            }
        }
        Ok(())
    }

    /// Reads and probes the seed, and makes what an earlier session has run. The error says why there is no chain.
    fn begin(&mut self, task: &Task, start: Option<&StartRecord>) -> Result<RunningChain<'a>, NoChain> {
        let shared = self.shared;
        let number = start.map_or_else(|| self.visits.seed_of(task.chain), |start| start.seed);
        let seed = &shared.seeds[number];
        let text = seed.read().map_err(|changed| match changed {
            SeedChanged::Gone { .. } => NoChain::Unusable("the seed cannot be read any more"),
            SeedChanged::Other(_) => NoChain::Unusable("the seed was changed since the campaign began"),
        })?;
        let script =
            Script::parse(&text, shared.signature).map_err(|_| NoChain::Unusable("the seed is no script"))?;
        let probe = shared.probes.get(number, || self.probe(number, &script, text))?;
        let out = shared.team.iter().map(|member| {
            task.out.iter().find(|(name, _)| *name == member.identity.name).map(|(_, why)| why.clone())
        });
        let status = shared.statuses.get(number).answer();
        let mut chain = Chain::new(shared.recipe, task.chain, &script, status, Reread::Yes);
        if let Some(library) = &shared.library {
            chain = chain.with_partners(number, library);
        }
        if let Some(advised) = self.advised(number, chain.script())? {
            let visits = start.map_or(task.chain / shared.seeds.len() as u64, |start| start.visits);
            chain = chain.with_advice(advised, visits);
        }
        let mut progress = None;
        if let Some(start) = start {
            chain = chain.with_start(start);
        }
        if shared.guide.leads() {
            let system = System::read(&script)
                .map_err(|_| NoChain::Unusable("the seed is no system of Horn clauses"))?;
            progress = Some(ChainProgress::new(system.clauses.len() as u64));
        }
        let mut leg = RunningChain { chain, seed, probe, steps: Vec::new(), out: out.collect(), progress };
        for _ in 0..task.from {
            leg.step();
        }
        Ok(leg)
    }

    /// Ends a chain after a report, before step `from`; the rest of its cases are skipped.
    fn end(&self, task: &Task, from: u64, mut report: Report, why: &str) -> Result<(), Gone> {
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

    fn case_number(&self, task: &Task, step: u64) -> u64 {
        self.shared.recipe.cases_of(task.chain).start + step
    }

    fn out(&self, leg: &RunningChain<'_>) -> Vec<(String, String)> {
        let names = self.shared.team.iter().map(|member| member.identity.name.clone());
        names.zip(&leg.out).filter_map(|(name, why)| Some((name, why.clone()?))).collect()
    }
}

fn our_bug(case: u64, payload: &(dyn std::any::Any + Send)) -> Report {
    Report::of(Event::OurBug { case, message: format!("a panic: {}", words_of(payload)) })
}
