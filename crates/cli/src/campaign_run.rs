//! Runs a campaign, displays it meanwhile, and prints its summary at the end.
//!
//! Errors in the plan are reported before the folder is created and before the screen is drawn.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use gainsay_engine::campaign::Campaign;
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::store::postgres::Postgres;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{Store, StoreError};
use gainsay_engine::tally::Tally;
use gainsay_engine::time_span;

use crate::campaign_setup::{self, ChangedPrograms, InstalledHelp};
use crate::console;
use crate::display::json::{self, JsonEvents};
use crate::display::lines::PlainLines;
use crate::display::screen::{self, Screen};
use crate::display::view::{CampaignView, stop_reason};
use crate::display::{CampaignDisplay, NoDisplay, format, summary};
use crate::environment::Environment;
use crate::exit;
use crate::report::findings::{DocumentedFinding, FindingsFormat};
use crate::shared_store::{self, SharedCampaign};
use crate::stop::StopRequest;
use crate::triage::background::BackgroundTriage;

/// How to display a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisplayMode {
    /// A live screen on a terminal, plain lines elsewhere.
    Best,
    /// Plain lines.
    Lines,
    /// JSON events.
    Json,
    /// Nothing until the campaign ends.
    Silent,
}

/// A campaign that is ready to run.
pub struct CampaignRun {
    plan: CampaignPlan,
    folder: PathBuf,
    records: CampaignRecords,
    triage: TriageMode,
    changed: ChangedPrograms,
    help: InstalledHelp,
}

/// Where the records of a campaign are.
enum CampaignRecords {
    /// In a folder that does not hold a campaign yet.
    New,
    /// In a folder that holds them already.
    Resumed(Sqlite),
    /// In a store that other processes share.
    Shared(Box<SharedCampaign>),
}

/// When findings are triaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TriageMode {
    /// While the campaign runs.
    Concurrent,
    /// Later, by `gainsay triage`.
    Later,
}

/// The open records of a campaign.
enum OpenStore {
    /// Those of this process alone.
    Own(Sqlite),
    /// Those that other processes share.
    Shared(Box<Postgres>),
}

impl OpenStore {
    fn records(&mut self) -> &mut dyn Store {
        match self {
            OpenStore::Own(store) => store,
            OpenStore::Shared(store) => store.as_mut(),
        }
    }
}

/// The result of a campaign.
pub struct FinishedCampaign {
    /// Its state at the end.
    pub view: CampaignView,
    /// Why it ended.
    pub why: Stop,
}

impl CampaignRun {
    /// A new campaign.
    pub fn new(plan: CampaignPlan, folder: PathBuf) -> Self {
        let (triage, changed, help) = (TriageMode::Later, ChangedPrograms::Refused, InstalledHelp::Read);
        CampaignRun { plan, folder, records: CampaignRecords::New, triage, changed, help }
    }

    /// A resumed campaign.
    pub fn resumed(plan: CampaignPlan, folder: PathBuf, store: Sqlite) -> Self {
        let records = CampaignRecords::Resumed(store);
        CampaignRun { records, ..CampaignRun::new(plan, folder) }.with_recorded_plan()
    }

    /// A campaign in a shared store, which begins there unless it has begun already.
    pub fn shared(plan: CampaignPlan, shared: SharedCampaign) -> Self {
        let folder = PathBuf::from(shared.address.shown());
        CampaignRun { records: CampaignRecords::Shared(Box::new(shared)), ..CampaignRun::new(plan, folder) }
    }

    /// The same campaign, whose plan comes from its records.
    #[must_use]
    pub fn with_recorded_plan(self) -> Self {
        CampaignRun { help: InstalledHelp::Recorded, ..self }
    }

    /// The same campaign with this policy about programs that have changed since it began.
    #[must_use]
    pub fn with_changed_programs(self, changed: ChangedPrograms) -> Self {
        CampaignRun { changed, ..self }
    }

    /// The same campaign with triage in the background.
    #[must_use]
    pub fn with_triage(self) -> Self {
        CampaignRun { triage: TriageMode::Concurrent, ..self }
    }

    /// Runs the campaign to its end and displays it meanwhile.
    pub fn run(mut self, environment: &Environment, show: DisplayMode) -> anyhow::Result<FinishedCampaign> {
        let stop = StopRequest::on_signals()?;
        stop.before_begin();
        if matches!(self.records, CampaignRecords::New) && self.folder.join("store.sqlite").exists() {
            return Err(StoreError::Exists(self.folder).into());
        }
        let (changed, help) = (self.changed, self.help);
        let mut campaign = campaign_setup::prepare(&mut self.plan, &self.folder, environment, changed, help)?;
        stop.begin();
        let mut store = match self.records {
            CampaignRecords::Resumed(store) => OpenStore::Own(store),
            CampaignRecords::New => OpenStore::Own(Sqlite::create(&self.folder, &self.plan.to_toml())?),
            CampaignRecords::Shared(shared) => {
                campaign.rescue_folders = shared.rescue_folders();
                OpenStore::Shared(Box::new(shared.enter(&self.plan)?))
            }
        };
        campaign.reconsider_known(store.records())?;
        if !matches!(show, DisplayMode::Json | DisplayMode::Silent) {
            console::out(opening_line(&campaign));
        }
        let mut view = CampaignView::new(&self.plan, &store.records().findings()?);
        let mut shown = open_display(show, &view, &stop)?;
        let background = BackgroundTriage::default();
        let mut told = (0, 0);
        let mut listener = |event: &Event, tally: &Tally| {
            if told != background.grouped() {
                told = background.grouped();
                let grouped = Event::Grouped { triggers: told.0, groups: told.1 };
                view.record_event(&grouped, tally.seconds);
                shown.event(&grouped, tally);
            }
            view.record_event(event, tally.seconds);
            if matches!(event, Event::Opened { .. } | Event::Closed { .. }) {
                view.update_tally(tally);
            }
            shown.event(event, tally);
            if let Event::Closed { why: why @ Stop::Memory(_) } = event {
                // A worker takes more and more memory and cannot be interrupted.
                shown.close();
                console::err(format_args!("gainsay: {}; --resume continues without it", stop_reason(why)));
                std::process::exit(exit::EXIT_INTERNAL.into());
            }
        };
        let ended = std::thread::scope(|scope| {
            if self.triage == TriageMode::Concurrent {
                scope.spawn(|| background.run(&self.folder, environment));
            }
            let ended = match &mut store {
                OpenStore::Own(store) => campaign.run(store, &mut listener, stop.flag()),
                OpenStore::Shared(store) => shared_store::work(&campaign, store, &mut listener, stop.flag()),
            };
            background.stop();
            ended
        });
        shown.close();
        if let Some(why) = background.trouble() {
            let folder = summary::shell_quoted(&self.folder);
            console::err(format_args!(
                "gainsay: triage ended early: {why}; run `gainsay triage {folder}` to continue"
            ));
        }
        Ok(FinishedCampaign { view, why: ended? })
    }
}

/// Runs a campaign and prints its summary, or its new findings in a format for other programs.
pub fn run(
    campaign: CampaignRun,
    environment: &Environment,
    show: DisplayMode,
    format: Option<FindingsFormat>,
) -> anyhow::Result<ExitCode> {
    let finished = campaign.run(environment, show)?;
    match (format, show) {
        (Some(format), _) => {
            let findings: Vec<DocumentedFinding> =
                finished.view.new_findings().map(|found| found.reported(&finished.view.folder)).collect();
            console::out(format.document("gainsay fuzz", &findings));
        }
        (None, DisplayMode::Json) => crate::json::print(&json::summary_object(&finished.view)),
        (None, _) => summary::lines(&finished.view).iter().for_each(console::out),
    }
    Ok(finished.exit())
}

impl FinishedCampaign {
    /// Returns the exit code; prints the reason to standard error if the campaign ended early.
    pub fn exit(&self) -> ExitCode {
        let solvers = self.view.solvers.join(", ");
        let (line, code) = match &self.why {
            Stop::Store(why) | Stop::Session(why) => (Some(why.clone()), exit::EXIT_DISK),
            Stop::Memory(why) => (Some(why.clone()), exit::EXIT_INTERNAL),
            Stop::NoSolver => (Some(format!("all solvers failed: {}", lost(&self.view))), exit::EXIT_SOLVER),
            Stop::NoSeed => (
                Some(format!("no seed can be solved by {solvers}: {}", unusable_seeds(&self.view))),
                exit::EXIT_USAGE,
            ),
            _ if self.view.new_findings().next().is_some() => (None, exit::EXIT_FINDINGS),
            // The campaign continued without the solver; the exit code must show that.
            _ if !self.view.lost.is_empty() => (
                Some(format!("a solver failed during the campaign: {}", lost(&self.view))),
                exit::EXIT_SOLVER,
            ),
            // A small budget has no chain for the last of many shards.
            _ if self.view.shard.is_some() && self.view.budget.cases == Some(0) => (
                Some(
                    "this shard has no cases: the budget of the campaign ends before its first one"
                        .to_owned(),
                ),
                0,
            ),
            // Without any case, "no findings" says nothing about the solvers.
            _ => match summary::no_case(&self.view) {
                Some(line) => (Some(line), exit::EXIT_NOTHING_TESTED),
                None => (None, 0),
            },
        };
        line.iter().for_each(|line| console::err(format_args!("gainsay: {line}")));
        ExitCode::from(code)
    }
}

fn lost(view: &CampaignView) -> String {
    view.lost.iter().map(|(solver, why)| format!("{solver}: {why}")).collect::<Vec<_>>().join("; ")
}

/// Why no solver can solve any seed.
fn unusable_seeds(view: &CampaignView) -> String {
    let solvers = view.tally.solvers.iter().map(|(name, tally)| {
        let reasons = [
            format::most_frequent(&tally.reasons, 2),
            format::most_frequent(&tally.spared, 2),
            format::most_frequent(&tally.troubles, 2),
        ];
        format!("{name}: {}", reasons.into_iter().find(|text| !text.is_empty()).unwrap_or_default())
    });
    solvers.collect::<Vec<_>>().join("; ")
}

/// The first line of output: the plan in short.
fn opening_line(campaign: &Campaign) -> String {
    let plan = &campaign.plan;
    let budget = [
        plan.budget.seconds.map(|seconds| format!("for {}", time_span::write(seconds))),
        plan.budget.cases.map(|cases| format!("up to {}", format::plural(cases, "case"))),
        plan.budget.findings.map(|findings| format!("up to {}", format::plural(findings, "finding"))),
    ];
    let budget: Vec<String> = budget.into_iter().flatten().collect();
    let scheduled =
        plan.schedule.agent().map(|agent| format!(" scheduled by {}", agent.name())).unwrap_or_default();
    let shard = plan.shard.map(|shard| format!("shard {shard}: ")).unwrap_or_default();
    let references = match plan.references.is_empty() {
        true => String::new(),
        false => format!(", judged by {},", plan.references.join(", ")),
    };
    format!(
        "{shard}fuzzing {}{references} with {} using {}{scheduled}, {}, {}; rng seed {}; records in {}",
        plan.solvers.join(", "),
        format::plural(campaign.seeds.list().len() as u64, "seed"),
        plan.strategies.join(", "),
        format::plural(plan.jobs as u64, "job"),
        if budget.is_empty() { "until Ctrl-C".to_owned() } else { budget.join(", ") },
        plan.rng_seed,
        summary::shell_quoted(&campaign.folder),
    )
}

fn open_display(
    show: DisplayMode,
    view: &CampaignView,
    stop: &Arc<StopRequest>,
) -> anyhow::Result<Box<dyn CampaignDisplay>> {
    let out = std::io::stdout();
    Ok(match show {
        DisplayMode::Silent => Box::new(NoDisplay),
        DisplayMode::Json => Box::new(JsonEvents::new(out, Arc::clone(stop))),
        DisplayMode::Best if screen::is_possible() => Box::new(Screen::open(view.clone(), Arc::clone(stop))?),
        DisplayMode::Best | DisplayMode::Lines => Box::new(PlainLines::new(view.clone(), out)),
    })
}
