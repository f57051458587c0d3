//! `gainsay triage DIR`: from the findings of a campaign to a few reports worth filing.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::triage::queue::queue;
use gainsay_engine::triage::record::{Stage, TriageRecord, TriageRecords};
use gainsay_engine::triage::statement_cache::StatementCache;
use gainsay_engine::triage::triager::{ReductionBudget, Triager};
use indicatif::ProgressBar;
use serde_json::Value;

use crate::command::check::seconds;
use crate::display::format::plural;
use crate::environment::{Environment, SandboxArgs};
use crate::exit::{self, Usage};
use crate::report::format::visible;
use crate::stop::{StopMessages, StopRequest};
use crate::triage::{output, triggers, workers};
use crate::{console, solver_lookup};

const TRIAGE_EXAMPLES: &str = "Examples:
  gainsay triage nightly
  gainsay triage nightly --jobs 8 --quota 3 --json
  gainsay triage triggers --solver z3@4.8.10 --solver cvc5@latest      a folder of scripts

Each finding is confirmed, reduced, asked of all installed releases, and put into a group with its like. A report for each
group is in DIR/triage/bugs, the order in which to file them in DIR/triage/queue.md. Triage may be stopped at any time, and
goes on where it was. The exit code is 10 if there is a group, 0 if there is none.";

/// What is said to who asks to stop.
const STOP_MESSAGES: StopMessages = StopMessages {
    first: "gainsay: stopping, the steps at work are given up; once more stops at once",
    second: "gainsay: stopped at once; the same command goes on where it was",
};

/// Arguments of `gainsay triage`.
#[derive(Debug, Args)]
#[command(after_help = TRIAGE_EXAMPLES)]
pub struct TriageArgs {
    /// The folder of the campaign, or a folder of scripts.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// For a folder of scripts: the solvers that they are triggers for.
    #[arg(long = "solver", short, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Triggers that are worked on at the same time.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Reports a week that the maintainers take.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    quota: u16,
    /// Sightings of each finding that are looked at.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    sightings: u16,
    /// Seconds that the reduction of one trigger may take; what is smallest by then is taken.
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = seconds)]
    reduce_time: Duration,
    /// Candidates that the reduction of one trigger may ask about: a bound that a busy machine does not change.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    reduce_checks: Option<u64>,
    /// Seconds that each run may take.
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = seconds)]
    timeout: Duration,
    /// Megabytes that each run may use.
    #[arg(long, default_value_t = 2048, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    memory: u64,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Runs the command.
pub fn run(args: &TriageArgs) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let is_campaign = triggers::is_campaign(&args.folder);
    if is_campaign != args.solvers.is_empty() {
        return Err(Usage(which(args, is_campaign)).into());
    }
    let stop = StopRequest::with_messages(&STOP_MESSAGES)?;
    let solvers = solver_lookup::find_or_install(&environment, &args.solvers)?;
    let solvers: Vec<String> = solvers.iter().map(|solver| solver.name.to_string()).collect();
    let docket = open(args, &environment, &solvers)?;
    let setting = environment.setting()?;
    let remaker = is_campaign.then(|| triggers::CaseRemaker::open(&args.folder, &environment)).transpose()?;
    let triager = Triager {
        places: environment.places(),
        setting: &setting,
        memory: StatementCache::within(environment.cache.folder()),
        limits: Limits { wall: args.timeout, memory: Some(args.memory << 20), ..Limits::default() },
        patience: ReductionBudget { time: args.reduce_time, checks: args.reduce_checks },
        maker: &|steps| remaker.as_ref()?.make(steps),
        parents: &|steps| remaker.as_ref()?.parents(steps),
        invited: Mutex::default(),
    };
    let open = docket.load()?.iter().filter(|record| record.is_open()).count();
    let printer = StepPrinter::new(open);
    workers::run(&docket, &triager, args.jobs.into(), stop.flag(), &printer)?;
    printer.bar.finish_and_clear();
    let records = docket.load()?;
    let bugs = queue(&records, args.quota.into());
    let groups = output::write(docket.folder(), &bugs, &records, &environment, &setting)?;
    show(args, &groups, stop.is_requested());
    Ok(ExitCode::from(if bugs.is_empty() { 0 } else { exit::FINDINGS }))
}

fn which(args: &TriageArgs, is_campaign: bool) -> String {
    let folder = args.folder.display();
    match (is_campaign, args.folder.is_dir()) {
        (true, _) => format!("{folder} is a campaign, which names its solvers itself: leave out --solver"),
        (false, true) => format!("{folder} holds no campaign: name the solvers of its scripts by --solver"),
        (false, false) => format!("there is no folder {folder}"),
    }
}

/// The records, with triggers that are new put down.
fn open(args: &TriageArgs, environment: &Environment, solvers: &[String]) -> anyhow::Result<TriageRecords> {
    // Before anything is written: a folder that holds nothing is left as it is.
    let nothing = |_: &str| false;
    if !args.solvers.is_empty() {
        triggers::from_scripts(&args.folder, solvers, &nothing)?;
    }
    let docket = TriageRecords::open(&args.folder)?;
    let names: BTreeSet<String> = docket.load()?.into_iter().map(|record| record.name).collect();
    let known = |name: &str| names.contains(name);
    let fresh = match args.solvers.is_empty() {
        true => triggers::from_campaign(&args.folder, environment, args.sightings.into(), &known)?,
        false => triggers::from_scripts(&args.folder, solvers, &known)?,
    };
    fresh.iter().try_for_each(|record| docket.save(record))?;
    Ok(docket)
}

/// Tells of each step: a bar on a terminal, lines elsewhere.
struct StepPrinter {
    bar: ProgressBar,
}

impl StepPrinter {
    fn new(open: usize) -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(open as u64).with_prefix("triggers")
        } else {
            ProgressBar::hidden()
        };
        StepPrinter { bar }
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
            (Stage::Reduced, _) => format!("reduced from {} bytes to {bytes}", record.script.len()),
            (Stage::Bisected, _) => match record.bisection.as_ref().and_then(|one| one.last_bad()) {
                Some(last) => format!("last seen in {last}"),
                None => "seen in no release".to_owned(),
            },
            (Stage::Flaky, _) => "flaky".to_owned(),
            (Stage::Gone, _) => "gone".to_owned(),
            (Stage::Stuck, _) => format!("stuck: {}", record.note),
            (Stage::New | Stage::Confirmed, _) => return,
        };
        let line = visible(&format!("{}: {told}", record.name));
        if self.bar.is_hidden() {
            console::err(line);
        } else {
            self.bar.println(line);
        }
        if !record.is_open() || record.stage == Stage::Stuck {
            self.bar.inc(1);
        }
    }
}

fn show(args: &TriageArgs, groups: &Value, stopped: bool) {
    if args.json {
        let mut groups = groups.clone();
        groups["stopped"] = stopped.into();
        console::out(groups);
        return;
    }
    lines(groups).iter().for_each(console::out);
    let folder = args.folder.display();
    if groups["groups"].as_array().is_some_and(|groups| !groups.is_empty()) {
        console::out(format_args!("what to file, and when: {folder}/triage/queue.md"));
    }
    if stopped {
        console::err("gainsay: stopped; the same command goes on where it was");
    }
}

/// The groups in lines.
pub fn lines(groups: &Value) -> Vec<String> {
    let count = |key: &str| groups[key].as_u64().unwrap_or(0);
    let all = groups["groups"].as_array().cloned().unwrap_or_default();
    let mut lines = vec![format!(
        "{}, {}; {} flaky, {} gone, {} stuck, {} not done",
        plural(count("triggers"), "trigger"),
        plural(all.len() as u64, "group"),
        count("flaky"),
        count("gone"),
        count("stuck"),
        count("open"),
    )];
    for group in &all {
        let text = |key: &str| visible(group[key].as_str().unwrap_or("-"));
        let week = group["week"].as_u64().map_or_else(|| "not due".to_owned(), |week| format!("week {week}"));
        let triggers = group["triggers"].as_array().map_or(0, Vec::len);
        lines.push(format!(
            "{week:<8} {:<12} {:<13} {:<14} first bad {}, last bad {}, fixed in {}  {}",
            text("kind"),
            text("evidence"),
            plural(triggers as u64, "trigger"),
            text("first_bad"),
            text("last_bad"),
            text("fixed_in"),
            text("title"),
        ));
    }
    lines
}
