//! The campaign: seeds in, findings out.
//!
//! The four folders do four jobs:
//!
//! * `scripts/` makes the scripts: recipes, chains of mutations, partners for fusions, remaking a recorded case;
//! * `running/` is the work of a worker thread: it runs seeds and cases, judges them, and confirms findings;
//! * `choosing/` chooses the next chain and its start;
//! * `recording/` counts what workers report, tells the listener, and writes to the store.
//!
//! A case is a function of the plan, the list of seeds and its number, so neither the number of workers nor a kill changes
//! which cases there are, and `shard.rs` can divide them between processes. In two modes it also depends on the start of its chain, which depends on earlier runs and is
//! recorded: if every strategy preserves the answer (`guide.rs`), and if a bandit leads (`steering.rs`). Processes that share a store learn
//! from each other in both. The status of a seed
//! that claims none is determined when it is first needed, and recorded as well (`seed_status.rs`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gainsay_smt::{Script, Signature};

use crate::event::{Event, Stop};
use crate::seeds::{Seed, Seeds};
use crate::session::coverage::{ChangedCode, MeasuredCode, PanelCoverage};
use crate::session::panel::PanelSolver;
use crate::solver::runner::Launcher;
use crate::store::{
    Batch, ChainRecord, Lessons, SeedEntry, SeedStatus, SharedLessons, StartRecord, Store, StoreError,
};
use crate::tally::Tally;

pub mod ask_once;
mod choosing;
pub mod plan;
pub mod plan_check;
mod recording;
mod running;
mod scripts;
pub mod shard;

use choosing::agenda::Agenda;
use choosing::guide::Guide;
use choosing::steering::Steering;
use choosing::steering::kept::QueuedScript;
use known_bugs::KnownBugs;
use plan::CampaignPlan;
use recording::ledger::{EventObservers, Ledger};
use running::own_work::{CaseAtWork, OwnWork, resident_bytes};
use running::seed_probe::SeedProbes;
use running::seed_status::Statuses;
use running::worker::{self, CampaignContext, WorkerReport};
use scripts::advice::{Advice, AdviceSource};
use scripts::partners::{PartnerLibrary, PartnerPools};
use scripts::recipe::Recipe;

pub use choosing::steering;
pub use recording::known_bugs;
pub use recording::ledger::{BATCH_INTERVAL, Listener};
pub use scripts::{advice, chain, drawn_logic, partners, question_draw, recipe, remake};

/// Reports that may wait to be counted; a worker blocks when the queue is full.
const MAX_QUEUED_REPORTS: usize = 64;

/// A campaign, ready to run.
pub struct Campaign {
    /// The plan.
    pub plan: CampaignPlan,
    /// The folder of its records, as shown in events.
    pub folder: PathBuf,
    /// The seeds.
    pub seeds: Seeds,
    /// Strategies, streams and chain length: all that determines the scripts apart from the seeds.
    pub recipe: Recipe,
    /// The signature: theories and operators that scripts may use.
    pub signature: Arc<Signature>,
    /// The solvers of the plan.
    pub panel: Vec<PanelSolver>,
    /// How solver processes are started.
    pub launcher: Launcher,
    /// The solver that is asked for values of constants, if a strategy uses them.
    pub advice_source: Option<AdviceSource>,
    /// The changed code of a solver that leads the campaign, if any.
    pub changed: Option<ChangedCode>,
    /// Fingerprints of bugs that the user already knows.
    pub known: KnownBugs,
    /// Time between two batches to the store, usually [`BATCH_INTERVAL`].
    pub pause: Duration,
    /// Bytes of memory that this process may use; `None` for any number.
    pub memory: Option<u64>,
    /// Folders for findings that cannot be recorded in the store, the first writable one is used.
    pub rescue_folders: Vec<PathBuf>,
}

/// Why a campaign cannot start or resume.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The store failed before the campaign started.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The seeds differ from those that the campaign started with.
    #[error(
        "the seeds have changed since the campaign began ({0}), and its cases depend on them: \
         put them back, or begin another campaign"
    )]
    Seeds(String),
}

impl Campaign {
    /// Resumes from the store, and runs until a budget is used up, `stop` is set, or it cannot continue.
    pub fn run<'a>(
        &'a self,
        store: &'a mut dyn Store,
        listener: &'a mut Listener<'a>,
        stop: &AtomicBool,
    ) -> Result<Stop, CampaignError> {
        let standing = store.standing()?;
        let roster = self.enrolled(store, &standing.tally)?;
        let next = standing.tally.cases + standing.tally.skipped_in_all() + standing.tally.our_bugs;
        let recorded = check_roster(&roster, self.seeds.list())?;
        let preparation = PanelSolver::preparation(&self.panel, &self.signature);
        let advice = self.recall(store, &roster)?;
        let lessons = store.lessons()?;
        let leases = store.leases();
        let others = store.lessons_of_others()?;
        let steering = match &leases {
            None => self.own_steering(store, &lessons, standing.ended_below)?,
            Some(leases) => self.shared_steering(&lessons, leases.session(), &others),
        };
        let measured = self.measured_code();
        let steering = match measured {
            MeasuredCode::Nothing => steering,
            MeasuredCode::All(_) | MeasuredCode::Changed(_) => steering.map(Steering::learning_from_code),
        };
        let steering = steering.as_ref();
        let guide = self.guide((lessons, standing.ended_below), leases.as_ref().map(|_| &others));
        let solvers: Vec<_> =
            self.panel.iter().map(|member| (member.identity.name.clone(), &member.solver)).collect();
        let (coverage, remarks) = PanelCoverage::prepare(&solvers, measured, &standing.tally);
        let observers = EventObservers { known: &self.known, guide: &guide, steering, coverage: &coverage };
        let mut ledger = Ledger::open(store, listener, observers, standing.tally.clone(), self.pause)?
            .in_shard(self.recipe.shard());
        let statuses = Statuses::new(self.seeds.list(), &roster, &self.recipe);
        ledger.tell(&self.opened(next, &statuses));
        remarks.iter().for_each(|event| ledger.tell(event));
        let context = CampaignContext {
            statuses: &statuses,
            library: self.library(&statuses),
            recipe: &self.recipe,
            steps: self.plan.chain,
            signature: &self.signature,
            seeds: self.seeds.list(),
            panel: &self.panel,
            launcher: &self.launcher,
            coverage: &coverage,
            preparation: &preparation,
            limits: self.plan.limits,
            plan: &self.plan,
            guide: &guide,
            steering,
            agenda: Agenda::new(self.plan.chain, self.plan.budget.cases, self.recipe.shard(), &standing)
                .leased(leases, self.plan.jobs, steering.is_some() || guide.leads()),
            probes: SeedProbes::new(recorded),
            advice,
            lost: self.panel.iter().map(|_| AtomicBool::new(false)).collect(),
            shortage_told: Mutex::new(None),
            own_work: OwnWork::new(self.plan.jobs.max(1)),
            halt: AtomicBool::new(false),
        };
        if roster.is_empty() {
            ledger.enrol(self.seeds.list().iter().map(entry).collect());
            ledger.record()?;
        }
        let why = self.supervise(&context, &mut ledger, stop);
        tell_end(&mut ledger, steering, &why);
        Ok(why)
    }

    /// What decides which seeds and mutations come next if all strategies keep the answer; `others` are the lessons of other processes.
    fn guide(&self, learnt: (Lessons, u64), others: Option<&SharedLessons>) -> Guide {
        let guide = Guide::new(&self.plan.horn, &self.recipe, self.seeds.list().len(), learnt);
        match others {
            Some(others) => guide.leased(others),
            None => guide,
        }
    }

    /// The code whose coverage the campaign measures.
    fn measured_code(&self) -> MeasuredCode<'_> {
        match (&self.changed, self.plan.coverage) {
            (Some(changed), _) => MeasuredCode::Changed(changed),
            (None, Some(level)) => MeasuredCode::All(level),
            (None, None) => MeasuredCode::Nothing,
        }
    }

    /// The recorded list of seeds. In a shared store it is recorded first: another worker may have been faster, with other seeds.
    fn enrolled(&self, store: &mut dyn Store, tally: &Tally) -> Result<Vec<SeedEntry>, StoreError> {
        let roster = store.roster()?;
        if !roster.is_empty() || store.leases().is_none() {
            return Ok(roster);
        }
        let roster = self.seeds.list().iter().map(entry).collect();
        store.record(&Batch { tally: tally.clone(), roster, ..Batch::default() })?;
        store.roster()
    }

    /// The state of the bandit, if one leads.
    fn steering(&self, learnt: (&Lessons, u64)) -> Option<Steering> {
        let (agent, size) = (self.recipe.agent()?, (self.plan.budget.cases, self.plan.jobs));
        Some(Steering::new(agent, &self.recipe, self.seeds.list(), size, learnt))
    }

    /// The state of the bandit of the only process, if one leads, with the scripts that begun chains started from.
    fn own_steering(
        &self,
        store: &dyn Store,
        lessons: &Lessons,
        ended_below: u64,
    ) -> Result<Option<Steering>, StoreError> {
        let shard = self.recipe.shard();
        let begun = lessons.starts.iter().filter(|start| shard.place_of(start.chain) >= ended_below);
        let scripts = kept_starts(store, begun)?;
        Ok(self.steering((lessons, ended_below)).map(|steering| steering.recalling(scripts)))
    }

    /// The state of the bandit of one of several processes, if bandits lead.
    fn shared_steering(&self, lessons: &Lessons, session: u64, others: &SharedLessons) -> Option<Steering> {
        let own = Lessons { seen: lessons.seen.clone(), ..Lessons::default() };
        Some(self.steering((&own, 0))?.leased(session, others))
    }

    /// Loads the recorded advice about seeds.
    fn recall(&self, store: &dyn Store, roster: &[SeedEntry]) -> Result<Advice<'_>, StoreError> {
        let advice_source = self.advice_source.as_ref();
        let advice = Advice::new(advice_source, self.seeds.list().len());
        if advice_source.is_some() {
            for (number, entry) in roster.iter().enumerate().filter(|(_, entry)| entry.used) {
                if let Some(record) = store.seed(&entry.hash)? {
                    advice.recall(number, &record.values);
                }
            }
        }
        Ok(advice)
    }

    /// The library of second parents, if a strategy takes two parents.
    fn library<'a>(&'a self, statuses: &'a Statuses) -> Option<PartnerLibrary<'a>> {
        let seeds = self.seeds.list();
        let claims =
            seeds.iter().enumerate().map(|(place, seed)| (statuses.get(place).claim(), seed.sorts.as_str()));
        let read = |number: usize| Script::parse(&seeds[number].read().ok()?, &self.signature).ok();
        let library = || PartnerLibrary::new(PartnerPools::with_unclaimed(claims), read);
        self.recipe.joins().then(|| library().with_statuses(|place| statuses.get(place)))
    }

    fn opened(&self, next: u64, statuses: &Statuses) -> Event {
        Event::Opened {
            folder: self.folder.clone(),
            seeds: self.seeds.list().len(),
            refused: self.seeds.refused().map(|(why, refusal)| (why.to_owned(), refusal.count)).collect(),
            solvers: self.panel.iter().map(|solver| solver.identity.name.clone()).collect(),
            next,
            unclaimed: statuses.needed(),
        }
    }

    /// Starts the workers, and counts and records what they report until the campaign ends.
    fn supervise(&self, context: &CampaignContext<'_>, ledger: &mut Ledger<'_>, stop: &AtomicBool) -> Stop {
        // Earlier sessions may have used up the budget.
        if let Some(why) = self.reason_to_stop(context, ledger, stop) {
            return why;
        }
        let (reports, inbox) = sync_channel(MAX_QUEUED_REPORTS);
        std::thread::scope(|scope| {
            for number in 0..self.plan.jobs.max(1) {
                let reports = reports.clone();
                scope.spawn(move || worker::work(context, number, &reports));
            }
            drop(reports);
            let why = self.listen(context, &inbox, ledger, stop);
            context.halt.store(true, Ordering::Relaxed);
            // Workers that try to report more see a closed channel, and end.
            drop(inbox);
            why
        })
    }

    fn listen(
        &self,
        context: &CampaignContext<'_>,
        inbox: &Receiver<WorkerReport>,
        ledger: &mut Ledger<'_>,
        stop: &AtomicBool,
    ) -> Stop {
        let mut why = None;
        loop {
            let taken = match inbox.recv_timeout(BATCH_INTERVAL) {
                Ok(report) => ledger.take(report),
                Err(RecvTimeoutError::Timeout) => ledger.record(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = taken {
                return self.rescue(ledger, inbox, &error);
            }
            if let Some(why) = self.out_of_memory(context, inbox, ledger) {
                // Workers cannot be interrupted: the listener must know while one of them still takes more memory.
                ledger.tell(&Event::Closed { why: why.clone() });
                return why;
            }
            if why.is_none() {
                why = self.reason_to_stop(context, ledger, stop);
                // Work that was under way is still counted, except findings beyond the requested number.
                context.halt.store(why.is_some(), Ordering::Relaxed);
            }
            if why == Some(Stop::Findings) {
                break;
            }
        }
        let recorded = ledger.record();
        match (recorded, context.agenda.trouble()) {
            (Err(error), _) | (Ok(()), Some(error)) => self.rescue(ledger, inbox, &error),
            (Ok(()), None) => why.unwrap_or(Stop::Cases),
        }
    }

    /// Writes the findings that the store did not take to another folder.
    fn rescue(&self, ledger: &mut Ledger<'_>, inbox: &Receiver<WorkerReport>, error: &StoreError) -> Stop {
        // Those of a lost session are found again when its chains are.
        if error.is_passing() {
            return Stop::Session(error.to_string());
        }
        let waiting: Vec<_> = inbox.try_iter().flat_map(|report| report.sightings).collect();
        let rescued = match ledger.rescue(&waiting, &self.rescue_folders) {
            None => String::new(),
            Some(Ok((count, folder))) => {
                format!("; findings that it did not take ({count}) are in {}", folder.display())
            }
            Some(Err(count)) => format!("; findings that it did not take ({count}) are lost"),
        };
        Stop::Store(format!("{error}{rescued}"))
    }

    /// If this process uses too much memory: leaves out the case that most likely needs it.
    fn out_of_memory(
        &self,
        context: &CampaignContext<'_>,
        inbox: &Receiver<WorkerReport>,
        ledger: &mut Ledger<'_>,
    ) -> Option<Stop> {
        let used = self.memory.map(|_| resident_bytes()).filter(|used| Some(*used) > self.memory)?;
        let CaseAtWork { task, step, case, seed } = context.own_work.longest()?;
        // Its case may have been reported meanwhile, and is counted then: only the rest of the chain is left out.
        for report in inbox.try_iter() {
            if let Err(error) = ledger.take(report) {
                return Some(Stop::Store(error.to_string()));
            }
        }
        let reported = ledger.next_step(task.chain).map_or(step, |next| next.unwrap_or(task.to));
        let (step, case) = (step.max(reported), case + reported.saturating_sub(step));
        if step >= task.to {
            return None;
        }
        let seed = if seed.is_empty() { String::new() } else { format!(" (seed {seed})") };
        let event = Event::Skipped {
            case,
            count: task.to - step,
            strategy: None,
            why: "gainsay ran out of memory".to_owned(),
        };
        let chain = Some(ChainRecord { chain: task.chain, next: None, out: Vec::new() });
        let recorded =
            ledger.take(WorkerReport { chain, ..WorkerReport::of(event) }).and_then(|()| ledger.record());
        Some(match recorded {
            Ok(()) => {
                let used = used >> 20;
                Stop::Memory(format!(
                    "case {case}{seed} is left out, gainsay used {used} MB when it was made"
                ))
            }
            Err(error) => Stop::Store(error.to_string()),
        })
    }

    fn reason_to_stop(
        &self,
        context: &CampaignContext<'_>,
        ledger: &Ledger<'_>,
        stop: &AtomicBool,
    ) -> Option<Stop> {
        let budget = &self.plan.budget;
        let found = budget.findings.is_some_and(|findings| ledger.fresh_findings() >= findings);
        let late = budget.seconds.is_some_and(|seconds| ledger.tally().seconds >= seconds);
        match () {
            () if found => Some(Stop::Findings),
            () if context.lost.iter().all(|lost| lost.load(Ordering::Relaxed)) => Some(Stop::NoSolver),
            () if context.probes.all_hopeless() => Some(Stop::NoSeed),
            () if stop.load(Ordering::Relaxed) => Some(Stop::Interrupted),
            () if late => Some(Stop::Time),
            () => None,
        }
    }
}

/// Reports what a campaign has learnt and why it ended. After a lack of memory it is not closed: gainsay resumes it.
fn tell_end(ledger: &mut Ledger<'_>, steering: Option<&Steering>, why: &Stop) {
    if let Some(steering) = steering {
        ledger.tell(&Event::Learnt { arms: steering.ranking() });
    }
    if !matches!(why, Stop::Memory(_)) {
        ledger.tell(&Event::Closed { why: why.clone() });
    }
}

fn entry(seed: &Seed) -> SeedEntry {
    SeedEntry {
        name: seed.name.clone(),
        hash: seed.hash.clone(),
        status: SeedStatus::claimed(seed.status),
        sorts: seed.sorts.clone(),
        used: false,
    }
}

/// The scripts that chains started from, by the number of the chain; those that started from their seeds are left out.
fn kept_starts<'a>(
    store: &dyn Store,
    starts: impl Iterator<Item = &'a StartRecord>,
) -> Result<BTreeMap<u64, QueuedScript>, StoreError> {
    let mut scripts = BTreeMap::new();
    for StartRecord { chain, seed, .. } in starts {
        let record = store.seed(&QueuedScript::key(*chain))?;
        scripts.extend(record.and_then(|record| Some((*chain, QueuedScript::read(record, *seed)?))));
    }
    Ok(scripts)
}

/// Checks that the seeds are those of the roster; returns for each whether it was used. Before the first batch none was.
fn check_roster(roster: &[SeedEntry], seeds: &[Seed]) -> Result<Vec<bool>, CampaignError> {
    if roster.is_empty() {
        return Ok(vec![false; seeds.len()]);
    }
    let same = |(entry, seed): (&SeedEntry, &Seed)| entry.hash == seed.hash;
    if roster.len() == seeds.len() && roster.iter().zip(seeds).all(same) {
        return Ok(roster.iter().map(|entry| entry.used).collect());
    }
    let now: std::collections::HashMap<&str, &str> =
        seeds.iter().map(|seed| (seed.name.as_str(), seed.hash.as_str())).collect();
    let before: std::collections::HashSet<&str> = roster.iter().map(|entry| entry.name.as_str()).collect();
    let count = |wanted: fn(Option<bool>) -> bool| {
        let same = |entry: &&SeedEntry| wanted(now.get(entry.name.as_str()).map(|hash| *hash == entry.hash));
        roster.iter().filter(same).count()
    };
    let changed = count(|same| same == Some(false));
    let gone = count(|same| same.is_none());
    let new = seeds.iter().filter(|seed| !before.contains(seed.name.as_str())).count();
    Err(CampaignError::Seeds(format!("{gone} are gone, {new} are new, {changed} were changed")))
}
