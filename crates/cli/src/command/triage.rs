//! `gainsay triage DIR`: deduplicates the findings of a campaign into reports that are ready to file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::solver::install::Installer;
use gainsay_engine::solver::name::SolverName;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::solver::version::Version;
use gainsay_engine::store::Store;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::triage::bisect::Release;
use gainsay_engine::triage::queue::queue;
use gainsay_engine::triage::record::{Stage, TriageRecord, TriageRecords};
use gainsay_engine::triage::reproduction::SCRIPT_FILE;
use gainsay_engine::triage::settle::ReleaseIndex;
use gainsay_engine::triage::statement_cache::StatementCache;
use gainsay_engine::triage::triager::{ReductionBudget, Triager};
use indicatif::ProgressBar;

use crate::command::check::seconds;
use crate::display::format::plural;
use crate::environment::{Environment, SandboxArgs};
use crate::exit::{self, UsageError};
use crate::job_limit;
use crate::json::campaigns::{BugGroup, TriageSummary};
use crate::report::findings::{DocumentedFinding, FindingsFormat};
use crate::report::format::visible;
use crate::stop::{StopMessages, StopRequest};
use crate::triage::{leads, output, triggers, workers};
use crate::{console, json, releases, solver_lookup};

const TRIAGE_EXAMPLES: &str = "Examples:
  gainsay triage nightly
  gainsay triage nightly --jobs 8 --quota 3 --json
  gainsay triage nightly --format junit > gainsay.xml
  gainsay triage triggers --solver z3@4.8.10 --solver cvc5@latest      a folder of scripts

Triage confirms and reduces each finding, tests it on all installed releases, and groups findings of the same bug. Before a
report is ready it asks the newest release on the package index, and, if that has the bug, installs the releases that tell
where it appears (--installed: none). DIR/triage/bugs has a report for each group, DIR/triage/queue.md the order in which to
file them. Triage can be stopped at any time; the same command continues. With other --solver, a folder of scripts is triaged
for these. The exit code is 10 if there is a group, 0 if not.";

/// The messages that answer a request to stop.
const STOP_MESSAGES: StopMessages = StopMessages {
    first: "gainsay: stopping and aborting the current steps; press Ctrl-C again to stop immediately",
    second: "gainsay: stopped immediately; run the same command to continue",
};

/// Arguments of `gainsay triage`.
#[derive(Debug, Args)]
#[command(after_help = TRIAGE_EXAMPLES)]
pub struct TriageArgs {
    /// The folder of the campaign, or a folder of scripts.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// For a folder of scripts: the solvers to run.
    #[arg(long = "solver", short, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Number of triggers to process in parallel.
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Reports to file per week.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    quota: u16,
    /// Sightings to process per finding.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    sightings: u16,
    /// Time limit for the reduction of one trigger: 60, 2m.
    #[arg(long, default_value = "60s", value_name = "TIME", value_parser = seconds)]
    reduce_time: Duration,
    /// Maximum number of candidates in the reduction of one trigger: a limit that does not depend on the machine [default: no limit].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    reduce_checks: Option<u64>,
    /// Timeout per solver run: 10, 500ms, 1m.
    #[arg(long, default_value = "5s", value_name = "TIME", value_parser = seconds)]
    timeout: Duration,
    /// Memory limit per solver run, in megabytes.
    #[arg(long, default_value_t = 2048, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    memory: u64,
    /// Ask installed releases only; nothing is downloaded.
    #[arg(long)]
    installed: bool,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
    /// Print one finding for each group as a document for another program, and nothing else.
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<FindingsFormat>,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Solvers that one job of triage runs at a time, at most: those of a finding and a release that is bisected.
const TRIAGE_SOLVERS: usize = 4;

/// Runs the command.
pub fn run(args: &TriageArgs) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let is_campaign = triggers::is_campaign(&args.folder);
    if is_campaign != args.solvers.is_empty() {
        return Err(UsageError(which(args, is_campaign)).into());
    }
    job_limit::check(args.jobs.into(), TRIAGE_SOLVERS)?;
    let stop = StopRequest::with_messages(&STOP_MESSAGES)?;
    if is_campaign && !args.installed {
        install_missing(&args.folder, &environment)?;
    }
    let solvers = solver_lookup::find_or_install(&environment, &args.solvers)?;
    solver_lookup::check_distinct(&solvers)?;
    let solvers: Vec<String> = solvers.iter().map(|solver| solver.name.to_string()).collect();
    let triage_records = open(args, &environment, &solvers)?;
    let index = IndexedReleases::new(args, &environment);
    let (releases, install) = (
        |name: &SolverName| index.releases(name),
        |name: &SolverName, version: &Version| index.install(name, version),
    );
    let launcher = environment.launcher()?;
    let remaker = is_campaign.then(|| triggers::CaseRemaker::open(&args.folder, &environment)).transpose()?;
    let triager = Triager {
        places: environment.places(),
        launcher: &launcher,
        memory: StatementCache::within(environment.cache.folder()),
        limits: Limits { wall: args.timeout, memory: Some(args.memory << 20), ..Limits::default() },
        patience: ReductionBudget { time: args.reduce_time, checks: args.reduce_checks },
        remake: &|steps| remaker.as_ref()?.make(steps),
        parents: &|steps| remaker.as_ref()?.parents(steps),
        index: index.installer.is_some().then_some(ReleaseIndex { releases: &releases, install: &install }),
        opened: Mutex::default(),
    };
    let open = triage_records.load()?.iter().filter(|record| record.is_open()).count();
    let printer = StepPrinter::new(open);
    workers::run(&triage_records, &triager, args.jobs.into(), stop.flag(), &printer)?;
    printer.bar.finish_and_clear();
    leads::prepare(&triage_records, &triager, stop.flag())?;
    let records = triage_records.load()?;
    let bugs = queue(&records, args.quota.into());
    let groups = output::write(triage_records.folder(), &bugs, &records, &environment, &launcher)?;
    let asked = |record: &&TriageRecord| is_campaign || triggers::is_for(record, &solvers);
    let groups = output::only(groups, &records.iter().filter(asked).collect::<Vec<_>>());
    let summary = TriageSummary { stopped: stop.is_requested(), ..groups };
    show(args, &summary);
    Ok(ExitCode::from(if summary.groups.is_empty() { 0 } else { exit::EXIT_FINDINGS }))
}

/// The releases on the package index. An index that cannot be reached is asked once, and said to be out of reach once.
struct IndexedReleases<'a> {
    environment: &'a Environment,
    installer: Option<Installer<'a>>,
    known: Mutex<BTreeMap<String, Result<Vec<Release>, String>>>,
}

impl<'a> IndexedReleases<'a> {
    fn new(args: &TriageArgs, environment: &'a Environment) -> Self {
        let installer = if args.installed { None } else { solver_lookup::installer(environment).ok() };
        IndexedReleases { environment, installer, known: Mutex::default() }
    }

    fn releases(&self, name: &SolverName) -> Result<Vec<Release>, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let look = || {
            let installer = self.installer.as_ref().ok_or_else(String::new)?;
            let releases = releases::installable(self.environment, installer, name);
            releases.map_err(|error| {
                let why = exit::line_of(&error);
                console::err(format_args!("gainsay: {why}; asking installed releases only"));
                why
            })
        };
        known.entry(name.profile.clone()).or_insert_with(look).clone()
    }

    fn install(&self, name: &SolverName, version: &Version) -> Result<(), String> {
        let release = releases::get(self.environment, self.installer.as_ref(), name, version);
        release.map(drop).map_err(|error| exit::line_of(&error))
    }
}

/// Installs the releases of a campaign that were removed since. Warns about solvers that are gone: only their triggers get stuck.
fn install_missing(folder: &Path, environment: &Environment) -> anyhow::Result<()> {
    let text = Sqlite::read(folder)?.plan()?;
    let plan = CampaignPlan::read("campaign.toml", &text).map_err(|error| UsageError(error.to_string()))?;
    for name in plan.panel() {
        if let Err(error) = solver_lookup::find_or_install(environment, &[name]) {
            console::err(format_args!("gainsay: warning: {}", exit::line_of(&error)));
        }
    }
    Ok(())
}

fn which(args: &TriageArgs, is_campaign: bool) -> String {
    let folder = args.folder.display();
    match (is_campaign, args.folder.is_dir()) {
        (true, _) => format!("{folder} is a campaign and has its own solvers; remove --solver"),
        (false, true) => format!("{folder} is not a campaign; name solvers with --solver"),
        (false, false) => format!("folder {folder} does not exist"),
    }
}

/// Opens the records and adds new triggers.
fn open(args: &TriageArgs, environment: &Environment, solvers: &[String]) -> anyhow::Result<TriageRecords> {
    // Check the folder before writing anything into it.
    if !args.solvers.is_empty() {
        triggers::from_scripts(&args.folder, solvers, &[])?;
    }
    let triage_records = TriageRecords::open(&args.folder)?;
    let known = triage_records.load()?;
    let names: BTreeSet<&str> = known.iter().map(|record| record.name.as_str()).collect();
    let fresh = match args.solvers.is_empty() {
        true => {
            let is_known = |name: &str| names.contains(name);
            triggers::from_campaign(&args.folder, environment, args.sightings.into(), &is_known)?
        }
        false => triggers::from_scripts(&args.folder, solvers, &known)?,
    };
    fresh.iter().try_for_each(|record| triage_records.save(record))?;
    Ok(triage_records)
}

/// Prints each step: with a progress bar on a terminal, as plain lines elsewhere.
struct StepPrinter {
    bar: ProgressBar,
}

impl StepPrinter {
    fn new(open: usize) -> Self {
        StepPrinter { bar: console::bar(|| ProgressBar::new(open as u64).with_prefix("triggers")) }
    }
}

impl workers::StepListener for StepPrinter {
    fn step(&self, record: &TriageRecord) {
        let bytes = record.best().len();
        let told = match (record.stage, &record.found) {
            (Stage::Confirmed, Some(found)) => {
                format!("confirmed: {} of {}, {}", found.kind.name(), found.suspects, found.evidence.name())
            }
            (Stage::Reduced, _) if record.reduced.is_none() => record.note.clone(),
            (Stage::Reduced, _) => format!("reduced {} bytes to {bytes}", record.script.len()),
            (Stage::Bisected, _) => match record.bisection.as_ref().and_then(|one| one.last_bad()) {
                Some(last) => format!("last affected release {last}"),
                None => "no installed release is affected".to_owned(),
            },
            (Stage::Flaky, _) => "flaky".to_owned(),
            (Stage::Gone, _) => "gone".to_owned(),
            (Stage::Stuck, _) => format!("stuck: {}", record.note),
            (Stage::New | Stage::Confirmed, _) => return,
        };
        let line = visible(&format!("{}: {told}", record.name));
        if self.bar.is_hidden() {
            console::progress(line);
        } else {
            self.bar.println(line);
        }
        if !record.is_open() || record.stage == Stage::Stuck {
            self.bar.inc(1);
        }
    }
}

fn show(args: &TriageArgs, summary: &TriageSummary) {
    if let Some(format) = args.format {
        let findings: Vec<DocumentedFinding> = summary.groups.iter().map(documented).collect();
        console::out(format.document("gainsay triage", &findings));
        return;
    }
    if args.json {
        json::print(summary);
        return;
    }
    lines(summary).iter().for_each(console::out);
    let folder = args.folder.display();
    if !summary.groups.is_empty() {
        console::out(format_args!("reports to file: {folder}/triage/queue.md"));
    }
    if summary.stopped {
        console::err("gainsay: stopped; run the same command to continue");
    }
}

/// A group as a finding of its reduced script.
fn documented(group: &BugGroup) -> DocumentedFinding {
    DocumentedFinding {
        kind: group.kind,
        evidence: group.evidence,
        suspect: group.suspect.clone(),
        fingerprint: group.fingerprint.clone(),
        explanation: group.title.clone(),
        script: Path::new(&group.path).join(SCRIPT_FILE),
        count: group.triggers.len() as u64,
    }
}

/// Describes the groups, one line each.
pub fn lines(summary: &TriageSummary) -> Vec<String> {
    let TriageSummary { triggers, groups, flaky, gone, stuck, open, .. } = summary;
    let mut lines = vec![format!(
        "{}, {}; {flaky} flaky, {gone} gone, {stuck} stuck, {open} not done",
        plural(*triggers, "trigger"),
        plural(groups.len() as u64, "group"),
    )];
    for group in groups {
        let week = group.week.map_or_else(|| "not due".to_owned(), |week| format!("week {week}"));
        lines.push(format!(
            "{week:<8} {:<12} {:<13} {:<12} {}",
            group.kind.name(),
            group.evidence.name(),
            plural(group.triggers.len() as u64, "trigger"),
            visible(&group.title),
        ));
        let told = [
            ("introduced ", group.introduced.as_ref()),
            ("fixed: ", group.fixed.as_ref()),
            ("not due: ", group.held.as_ref()),
            ("no regression test: ", group.no_regression_test.as_ref()),
            ("fingerprint ", Some(&group.fingerprint)),
        ];
        let told = told.into_iter().filter_map(|(head, text)| Some(format!("{head}{}", visible(text?))));
        let told = told.collect::<Vec<_>>().join("; ");
        lines.extend((!told.is_empty()).then(|| format!("         {told}")));
    }
    lines
}
