//! `gainsay localize`: finds the constructs that correlate with wrong answers of a solver.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::perf::SearchMethod;
use gainsay_engine::perf::localize::{Localization, WrongScript};
use gainsay_engine::perf::panel::EffortUnit;
use gainsay_engine::schedule;

use super::perf::comparison::{self, ComparisonArgs, SearchProgress, SolverComparison, queries_in_words};
use super::perf::method;
use crate::console;
use crate::display::format;
use crate::exit::{self, NoOutput, NothingTested};
use crate::json;
use crate::json::making::{WrongScriptEntry, WrongScripts};
use crate::report::chart::{self, IntervalRow, ProbabilityInterval};
use crate::stop::{StopMessages, StopRequest};

const LOCALIZE_EXAMPLES: &str = "Examples:
  gainsay localize --target z3@4.8.10 --reference z3@latest --reference cvc5@latest --theory string --time 10m --out wrong
  gainsay localize --target z3=./build/z3 --reference cvc5@latest --theory fp --queries 2000 --out wrong --json

A script counts as wrong if `gainsay check` reports a finding for the target: a crash, a wrong answer, an invalid model.
Scripts with findings for a reference only are stored as aside-*.smt2 and do not affect the ranking.
--time is for all of this; a query that still runs then is cut off and undecided.
The exit code is 10 with findings, 6 if no script could be judged, 0 otherwise.";

/// Arguments of `gainsay localize`.
#[derive(Debug, Args)]
#[command(after_help = LOCALIZE_EXAMPLES)]
pub struct LocalizeArgs {
    #[command(flatten)]
    comparison: ComparisonArgs,
    /// How to choose the next construct: thompson, ucb, epsilon, random, mutational, evolutionary.
    #[arg(long, default_value = "thompson", value_name = "AGENT", value_parser = method)]
    agent: SearchMethod,
}

/// Maximum number of scripts written.
const MAX_SCRIPTS_WRITTEN: usize = 1000;

/// The search ends if all of the first so many queries were undecided.
const MAX_USELESS_QUERIES: u64 = 20;

/// Constructs in the chart of the ranking.
const MAX_CONSTRUCTS_CHARTED: usize = 25;

/// Runs the command.
pub fn run(args: &LocalizeArgs) -> anyhow::Result<ExitCode> {
    let comparison = SolverComparison::open(&args.comparison)?;
    let mut panel = comparison.panel(EffortUnit::Cpu);
    let folder = args.comparison.out.as_deref();
    folder.map_or(Ok(()), |folder| args.comparison.force.check_folder(folder))?;
    let mut progress = SearchProgress::new(args.comparison.queries, args.comparison.time);
    panel.set_deadline(progress.search_deadline());
    comparison.probe(&mut panel, args.comparison.rng_seed)?;
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|source| NoOutput { path: folder.to_owned(), source })?;
    }
    let stop = StopRequest::with_messages(&StopMessages {
        first: "gainsay: stopping after this query; press Ctrl-C again to stop immediately",
        second: "gainsay: stopped immediately; the scripts found so far are kept",
    })?;
    let seed = args.comparison.rng_seed;
    let mut search = Localization::new(
        &comparison.generator,
        &comparison.constructs,
        args.agent,
        args.comparison.decay,
        seed,
    );
    let mut files = TriggerFiles { folder, comparison: &comparison, best: Vec::new(), aside: Vec::new() };
    while progress.continues(search.queries) && !stop.is_requested() && !is_useless(&search) {
        let before = search.triggers.len();
        search.step(&mut |script| panel.judge(script)).map_err(comparison::solver_gone)?;
        files.write(&search)?;
        let count = search.triggers.len();
        progress.show(
            search.queries,
            &format!("{} with wrong answers", format::plural(count as u64, "script")),
            count > before,
        );
    }
    progress.finish();
    conclude(args, &comparison, &search, &files)?;
    let found = !search.triggers.is_empty() || !search.aside.is_empty();
    match found {
        true => Ok(ExitCode::from(exit::EXIT_FINDINGS)),
        false if search.undecided.0 == search.queries => Err(NothingTested(nothing_judged(&search)).into()),
        false => Ok(ExitCode::SUCCESS),
    }
}

/// Why no query could be judged.
fn nothing_judged(search: &Localization<'_>) -> String {
    match (search.queries, &search.undecided) {
        (0, _) => "no query was made, so nothing was tested; increase --time".to_owned(),
        (queries, (_, why)) => {
            format!("all {queries} scripts were undecided, so nothing was tested; the last because {why}")
        }
    }
}

/// Returns true if all of the first scripts were undecided.
fn is_useless(search: &Localization<'_>) -> bool {
    search.queries >= MAX_USELESS_QUERIES && search.undecided.0 == search.queries
}

/// Writes the remaining files and prints the result.
fn conclude(
    args: &LocalizeArgs,
    comparison: &SolverComparison,
    search: &Localization<'_>,
    files: &TriggerFiles<'_>,
) -> anyhow::Result<()> {
    let ranking = comparison.ranking(search.record());
    let object = WrongScripts {
        queries: search.queries,
        best: &files.best,
        ranking,
        triggers: search.triggers.len(),
        undecided: search.undecided.0,
        aside: &files.aside,
    };
    if let Some(folder) = files.folder {
        put(&folder.join("localize.json"), &format!("{}\n", json::line(&object)))?;
        put(&folder.join("ranking.svg"), &picture(comparison, search))?;
    }
    if args.comparison.json {
        json::print(&object);
    } else {
        tell(comparison, search);
    }
    Ok(())
}

fn tell(comparison: &SolverComparison, search: &Localization<'_>) {
    let (undecided, why) = &search.undecided;
    let count = search.triggers.len();
    comparison.tell_solvers();
    console::out(format_args!(
        "{}, {} with wrong answers, {undecided} undecided",
        queries_in_words(search.queries),
        format::plural(count as u64, "script")
    ));
    if is_useless(search) {
        console::out(format_args!(
            "stopped: all of the first {MAX_USELESS_QUERIES} scripts were undecided, the last because {why}: increase --timeout, make scripts smaller (--depth, --assertions), or choose other references"
        ));
    } else if *undecided * 2 > search.queries {
        console::out(format_args!(
            "  most scripts were undecided, the last because {why}: increase --timeout or make scripts smaller"
        ));
    }
    for trigger in &search.aside {
        let words: Vec<&str> = trigger.findings.iter().map(|finding| finding.explanation.as_str()).collect();
        console::out(format_args!(
            "finding for a reference, in query {}: {}",
            trigger.query,
            words.join("; ")
        ));
    }
    if search.triggers.is_empty() && !is_useless(search) {
        console::out("no findings for the target: increase --queries, or choose another theory or target");
    }
    comparison.tell_ranking(search.record(), "causes a wrong answer");
}

fn picture(comparison: &SolverComparison, search: &Localization<'_>) -> String {
    let ranking =
        search.record().ranking().into_iter().filter(|rank| rank.pulls > 0.0).take(MAX_CONSTRUCTS_CHARTED);
    let row = |rank: schedule::ArmRank| IntervalRow {
        name: comparison.constructs[rank.arm].name.clone(),
        interval: ProbabilityInterval { low: rank.low, mean: rank.mean, high: rank.high },
    };
    let rows: Vec<IntervalRow> = ranking.map(row).collect();
    chart::intervals("Probability that a construct causes a wrong answer", &rows)
}

/// The written scripts, as in `--json`.
struct TriggerFiles<'a> {
    folder: Option<&'a Path>,
    comparison: &'a SolverComparison,
    best: Vec<WrongScriptEntry>,
    aside: Vec<WrongScriptEntry>,
}

impl TriggerFiles<'_> {
    /// Writes new scripts.
    fn write(&mut self, search: &Localization<'_>) -> anyhow::Result<()> {
        while let Some(trigger) =
            search.triggers.get(self.best.len()).filter(|_| self.best.len() < MAX_SCRIPTS_WRITTEN)
        {
            self.best.push(self.one("", trigger)?);
        }
        while let Some(trigger) =
            search.aside.get(self.aside.len()).filter(|_| self.aside.len() < MAX_SCRIPTS_WRITTEN)
        {
            self.aside.push(self.one("aside-", trigger)?);
        }
        Ok(())
    }

    /// Writes a script with a wrong answer and its findings.
    fn one(&self, prefix: &str, trigger: &WrongScript) -> anyhow::Result<WrongScriptEntry> {
        let path: Option<PathBuf> =
            self.folder.map(|folder| folder.join(format!("{prefix}{:06}.smt2", trigger.query)));
        let construct = trigger.construct.map(|arm| self.comparison.constructs[arm].name.clone());
        let entry = WrongScriptEntry {
            path: path.as_ref().map(|path| path.display().to_string()),
            margin: None,
            query: trigger.query,
            construct,
            findings: trigger.findings.clone(),
        };
        if let Some(path) = &path {
            put(path, &trigger.script.to_string())?;
            put(&path.with_extension("json"), &format!("{}\n", json::line(&entry)))?;
        }
        Ok(entry)
    }
}

fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    Ok(fs::write(path, text).map_err(|source| NoOutput { path: path.to_owned(), source })?)
}
