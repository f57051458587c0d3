//! `gainsay coverage SEEDS --solver S`: which functions, blocks or lines of a solver a set of scripts reaches.
//!
//! The solver runs as it comes, from a copy with one-byte traps that are removed when they are hit; its answers are the same.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use gainsay_engine::campaign::plan::SizeBounds;
use gainsay_engine::coverage::reached::ReachedSites;
use gainsay_engine::coverage::report::{self, CoverageSummary, ScopeRow};
use gainsay_engine::coverage::target::{CoverageTarget, Level};
use gainsay_engine::coverage::{lcov, name};
use gainsay_engine::seeds::{Seed, Seeds};
use gainsay_engine::solver::coverage;
use gainsay_engine::solver::profile::DriverName;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::Run;
use gainsay_engine::solver::runner;
use gainsay_smt::Signature;

use crate::coverage_run::{self, CoveredSolver, CoveredSolverArgs};
use crate::display::format;
use crate::environment::Environment;
use crate::exit::{CannotCover, NoOutput, UsageError};
use crate::json::making::{ChangedFunctions, ComparedCoverage, CoverageMeasured, UntrappedAnswers};
use crate::{console, json, solver_lookup};

const COVERAGE_EXAMPLES: &str = "Examples:
  gainsay coverage corpus --solver z3@5.4.0
  gainsay coverage corpus --solver cvc5@1.4.2 --level blocks --unreached 50
  gainsay coverage corpus --solver z3@5.4.0 --against other-corpus     what each set reaches and the other does not
  gainsay coverage corpus --solver z3=./new/z3 --since z3=./old/z3     which changed functions do they reach?
  gainsay coverage corpus --solver z3=./build/z3 --level lines --lcov coverage.info     a build with -O2 -g1

Functions and blocks need an x86-64 program or library with a symbol table, lines a line table (-g1). No level needs an
instrumented build. Sizes are in bytes of machine code.";

/// Arguments of `gainsay coverage`.
#[derive(Debug, Args)]
#[command(after_help = COVERAGE_EXAMPLES)]
pub struct CoverageArgs {
    /// Files and folders of scripts.
    #[arg(required = true, value_name = "SEEDS")]
    seeds: Vec<PathBuf>,
    #[command(flatten)]
    covered: CoveredSolverArgs,
    /// What to count: functions, blocks or lines [default: functions; lines with --lcov].
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
    /// Write the lines to this file, in the format of lcov, which genhtml and editors read.
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Files and folders of other scripts, to compare with.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    against: Vec<PathBuf>,
    /// An older build of the solver: show which functions that changed since then the scripts reach, and which they do not.
    #[arg(long, value_name = "SOLVER", alias = "changed")]
    since: Option<String>,
    /// Run scripts by this driver: plain (a process per script) or session (one process for many scripts).
    #[arg(long, default_value = "plain", value_name = "DRIVER", value_parser = ["plain", "session", "fork"])]
    driver: String,
    /// Run the scripts without traps, to compare answers and CPU time.
    #[arg(long)]
    without_traps: bool,
    /// Show at most this many unreached functions, the largest first, and functions that one of two sets reaches.
    #[arg(long, default_value_t = 20, value_name = "N")]
    unreached: usize,
    /// Show at most this many namespaces, classes or folders, those with the most unreached first.
    #[arg(long, default_value_t = 15, value_name = "N")]
    scopes: usize,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &CoverageArgs) -> anyhow::Result<ExitCode> {
    let seeds = load(&args.seeds)?;
    let others = if args.against.is_empty() { Vec::new() } else { load(&args.against)? };
    let setup = args.covered.set_up()?;
    let level = match (args.level, &args.lcov) {
        (Some(Level::Functions | Level::Blocks), Some(_)) => {
            return Err(
                UsageError("--lcov writes lines: leave --level out, or set it to lines".to_owned()).into()
            );
        }
        (Some(level), _) => level,
        (None, Some(_)) => Level::Lines,
        (None, None) => Level::default(),
    };
    let driver = DriverName::ALL.into_iter().find(|name| name.name() == args.driver).and_then(runner::kind);
    let driver = driver.unwrap_or_else(runner::plain);
    let covered = setup.covered(driver);
    if args.without_traps {
        let runs = covered.run_all(&seeds, None, |run| answers(&run))?;
        json::print(&UntrappedAnswers { scripts: seeds.len(), answers: runs });
        return Ok(ExitCode::SUCCESS);
    }
    let changed =
        args.since.as_ref().map(|old| changed(&setup.environment, old, &setup.solver)).transpose()?;
    let measured = measure(&covered, &seeds, level)?;
    let against = (!others.is_empty()).then(|| measure(&covered, &others, level)).transpose()?;
    if let Some(path) = &args.lcov {
        let text = lcov::write(&measured.target, &measured.reached);
        std::fs::write(path, text).map_err(|source| NoOutput { path: path.clone(), source })?;
    }
    let report =
        CoverageReport { args, solver: setup.solver.name.to_string(), level, measured, against, changed };
    if args.json {
        json::print(&report.object());
    } else {
        report.show();
    }
    Ok(ExitCode::SUCCESS)
}

/// The functions of a solver that changed since an older build, by base symbol.
fn changed(environment: &Environment, old: &str, new: &Solver) -> anyhow::Result<BTreeSet<String>> {
    let old = solver_lookup::find_or_install(environment, &[old.to_owned()])?.remove(0);
    Ok(coverage::changed_symbols(&old, new).map_err(|error| CannotCover(error.to_string()))?)
}

/// The answers of a run, as one text.
fn answers(run: &Run) -> String {
    run.answers.iter().map(|answer| answer.name()).collect::<Vec<_>>().join(" ")
}

/// Reads the scripts of files and folders, and says which were refused.
pub fn load(paths: &[PathBuf]) -> anyhow::Result<Vec<Seed>> {
    let bounds = SizeBounds::default();
    let seeds = Seeds::load(paths, bounds.seed_bytes, &Signature::standard(), &mut |_, _| {})?;
    for (reason, refusal) in seeds.refused() {
        let files = format::plural(refusal.count, "file");
        console::err(format_args!("gainsay: skipped {files}: {reason} (such as {})", refusal.example));
    }
    Ok(seeds.list().to_vec())
}

/// What one set of scripts reaches.
struct MeasuredSet {
    target: Arc<CoverageTarget>,
    reached: ReachedSites,
    scripts: usize,
    answers: Vec<String>,
}

fn measure(covered: &CoveredSolver<'_>, seeds: &[Seed], level: Level) -> anyhow::Result<MeasuredSet> {
    let target = coverage_run::target(covered.solver, level)?;
    let request = coverage::first_hits(&target);
    let runs = covered.run_all(seeds, Some(&request), |run| (answers(&run), run.reached))?;
    let (answers, reached): (Vec<String>, Vec<Vec<u32>>) = runs.into_iter().unzip();
    let reached = reached.into_iter().flatten().collect();
    Ok(MeasuredSet { target, reached, scripts: seeds.len(), answers })
}

struct CoverageReport<'a> {
    args: &'a CoverageArgs,
    solver: String,
    level: Level,
    measured: MeasuredSet,
    against: Option<MeasuredSet>,
    changed: Option<BTreeSet<String>>,
}

impl CoverageReport<'_> {
    fn show(&self) {
        let MeasuredSet { target, reached, scripts, .. } = &self.measured;
        let scripts = format::plural(*scripts as u64, "script");
        console::out(format_args!("{}, coverage of {scripts}:", self.solver));
        show_summary(&report::summarise(target, reached), self.level);
        let rows = report::by_scope(target, reached);
        show_scopes(&rows, self.args.scopes, self.level);
        let missing = report::unreached(target, reached, self.args.unreached);
        if !missing.is_empty() {
            console::out("\nlargest functions that no script reaches (bytes)");
        }
        for function in missing {
            console::out(format_args!("{:>8}  {}", function.bytes, function.name));
        }
        if let Some(other) = &self.against {
            self.show_difference(other);
        }
        if let Some((reached, missed)) = self.changed_functions() {
            let all = reached.len() + missed.len();
            console::out(format_args!("\n{} of {all} changed functions are reached", reached.len()));
            for (mark, names) in [("reached", &reached), ("missed", &missed)] {
                for name in names.iter().take(self.args.unreached) {
                    console::out(format_args!("  {mark:<8} {name}"));
                }
            }
        }
    }

    /// The changed functions that the scripts reach, and those that they do not.
    fn changed_functions(&self) -> Option<(Vec<String>, Vec<String>)> {
        let (changed, target) = (self.changed.as_ref()?, &self.measured.target);
        let is_reached: BTreeSet<u32> = self.measured.reached.functions(target).into_iter().collect();
        let is_changed = |function: &u32| {
            changed.contains(name::base_symbol(&target.functions[*function as usize].symbol))
        };
        let all = (0..target.functions.len() as u32).filter(is_changed);
        let (reached, missed): (Vec<u32>, Vec<u32>) = all.partition(|function| is_reached.contains(function));
        Some((report::names(target, &reached), report::names(target, &missed)))
    }

    fn show_difference(&self, other: &MeasuredSet) {
        let MeasuredSet { target, reached, scripts, .. } = other;
        console::out(format_args!("\nthe {scripts} scripts of --against reach"));
        show_summary(&report::summarise(target, reached), self.level);
        let (only_first, only_other) = self.differences(other);
        for (title, names) in [("only without --against", only_first), ("only with --against", only_other)] {
            console::out(format_args!("\n{} functions are reached {title}", names.len()));
            for name in names.iter().take(self.args.unreached) {
                console::out(format_args!("  {name}"));
            }
        }
    }

    /// Functions that only the first set reaches, and those that only the other one does.
    fn differences(&self, other: &MeasuredSet) -> (Vec<String>, Vec<String>) {
        let target = &self.measured.target;
        let (first, second) = (self.measured.reached.functions(target), other.reached.functions(target));
        let only = |these: &[u32], those: &[u32]| {
            let those: BTreeSet<u32> = those.iter().copied().collect();
            let only: Vec<u32> = these.iter().copied().filter(|function| !those.contains(function)).collect();
            report::names(target, &only)
        };
        (only(&first, &second), only(&second, &first))
    }

    fn object(&self) -> CoverageMeasured<'_> {
        let MeasuredSet { target, reached, scripts, .. } = &self.measured;
        let against = self.against.as_ref().map(|other| {
            let (only_first, only_other) = self.differences(other);
            ComparedCoverage {
                scripts: other.scripts,
                summary: report::summarise(&other.target, &other.reached),
                only_first,
                only_against: only_other,
            }
        });
        let changed = self.changed_functions();
        CoverageMeasured {
            solver: &self.solver,
            level: self.level,
            scripts: *scripts,
            summary: report::summarise(target, reached),
            scopes: report::by_scope(target, reached),
            unreached: report::unreached(target, reached, self.args.unreached),
            against,
            changed: changed.map(|(reached, missed)| ChangedFunctions { reached, missed }),
            answers: &self.measured.answers,
        }
    }
}

fn show_summary(summary: &CoverageSummary, level: Level) {
    let row = |reached: usize, all: usize, what: &str| {
        let percent = 100.0 * reached as f64 / all.max(1) as f64;
        console::out(format_args!("{reached:>8} of {all:>7} {what:<10} {percent:>5.1} %"));
    };
    row(summary.functions_reached, summary.functions, "functions");
    match level {
        Level::Functions => {}
        Level::Blocks => row(summary.sites_reached, summary.sites, "blocks"),
        Level::Lines => row(summary.lines_reached, summary.lines, "lines"),
    }
    if summary.left_out > 0 {
        console::out(format_args!(
            "{:>8} functions whose blocks cannot be found in their code; only their entries are counted",
            summary.left_out
        ));
    }
}

fn show_scopes(rows: &[ScopeRow], most: usize, level: Level) {
    let what = if level == Level::Lines { "folders (lines)" } else { "namespaces and classes (functions)" };
    console::out(format_args!("\n{what} with the most unreached"));
    for row in rows.iter().take(most) {
        console::out(format_args!("{:>8} of {:>7}  {}", row.reached, row.all, row.scope));
    }
}
