//! `gainsay coverage SEEDS --solver S`: which functions, blocks or lines of a solver a set of scripts reaches.
//!
//! The solver runs as it comes, from a copy with one-byte traps that are removed when they are hit; its answers are the same.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use gainsay_engine::campaign::plan::SizeBounds;
use gainsay_engine::coverage::lcov;
use gainsay_engine::coverage::reached::ReachedSites;
use gainsay_engine::coverage::report::{self, CoverageSummary, ScopeRow};
use gainsay_engine::coverage::target::{CoverageTarget, Level};
use gainsay_engine::seeds::{Seed, Seeds};
use gainsay_engine::solver::coverage;
use gainsay_engine::solver::run::Limits;
use gainsay_smt::Signature;
use serde_json::{Value, json};

use crate::command::check::seconds;
use crate::coverage_run::{self, CoveredSolver};
use crate::environment::{Environment, SandboxArgs};
use crate::exit::{NoOutput, UsageError};
use crate::{console, solver_lookup};

const COVERAGE_EXAMPLES: &str = "Examples:
  gainsay coverage corpus --solver z3@5.4.0
  gainsay coverage corpus --solver cvc5@1.4.2 --level blocks --unreached 50
  gainsay coverage corpus --solver z3@5.4.0 --against other-corpus     what each set reaches and the other does not
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
    /// NAME@VERSION, NAME (on PATH) or NAME=COMMAND, with options after it.
    #[arg(long, short, value_name = "SOLVER")]
    solver: String,
    /// What to count: functions, blocks or lines [default: functions; lines with --lcov].
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
    /// Write the lines to this file, in the format of lcov, which genhtml and editors read.
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Files and folders of other scripts, to compare with.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    against: Vec<PathBuf>,
    /// Show at most this many unreached functions, the largest first, and functions that one of two sets reaches.
    #[arg(long, default_value_t = 20, value_name = "N")]
    unreached: usize,
    /// Show at most this many namespaces, classes or folders, those with the most unreached first.
    #[arg(long, default_value_t = 15, value_name = "N")]
    scopes: usize,
    /// Timeout per solver run: 10, 500ms, 1m.
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = seconds)]
    timeout: Duration,
    /// Number of scripts that run at the same time.
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..1000))]
    jobs: u64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Runs the command.
pub fn run(args: &CoverageArgs) -> anyhow::Result<ExitCode> {
    let seeds = load(&args.seeds)?;
    let others = if args.against.is_empty() { Vec::new() } else { load(&args.against)? };
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let launcher = environment.launcher()?;
    let names = std::slice::from_ref(&args.solver);
    let mut solvers = solver_lookup::find_or_install(&environment, names)?;
    let solver = solvers.remove(0);
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
    let limits = Limits { wall: args.timeout, ..Limits::default() };
    let jobs = usize::try_from(args.jobs)?;
    let covered = CoveredSolver { solver: &solver, launcher: &launcher, limits, jobs };
    let measured = measure(&covered, &seeds, level)?;
    let against = (!others.is_empty()).then(|| measure(&covered, &others, level)).transpose()?;
    if let Some(path) = &args.lcov {
        let text = lcov::write(&measured.target, &measured.reached);
        std::fs::write(path, text).map_err(|source| NoOutput { path: path.clone(), source })?;
    }
    let report = CoverageReport { args, solver: solver.name.to_string(), level, measured, against };
    if args.json {
        console::out(report.json())
    } else {
        report.show()
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the scripts of files and folders, and says which were refused.
pub fn load(paths: &[PathBuf]) -> anyhow::Result<Vec<Seed>> {
    let bounds = SizeBounds::default();
    let seeds = Seeds::load(paths, bounds.seed_bytes, &Signature::standard(), &mut |_, _| {})?;
    for (reason, refusal) in seeds.refused() {
        console::err(format_args!("gainsay: {} {reason} (such as {})", refusal.count, refusal.example));
    }
    Ok(seeds.list().to_vec())
}

/// What one set of scripts reaches.
struct MeasuredSet {
    target: Arc<CoverageTarget>,
    reached: ReachedSites,
    scripts: usize,
}

fn measure(covered: &CoveredSolver<'_>, seeds: &[Seed], level: Level) -> anyhow::Result<MeasuredSet> {
    let target = coverage_run::target(covered.solver, level)?;
    let runs = covered.run_all(seeds, &coverage::first_hits(&target), |run| run.reached)?;
    let reached = runs.into_iter().flatten().collect();
    Ok(MeasuredSet { target, reached, scripts: seeds.len() })
}

struct CoverageReport<'a> {
    args: &'a CoverageArgs,
    solver: String,
    level: Level,
    measured: MeasuredSet,
    against: Option<MeasuredSet>,
}

impl CoverageReport<'_> {
    fn show(&self) {
        let MeasuredSet { target, reached, scripts } = &self.measured;
        console::out(format_args!("{}: {scripts} scripts reach", self.solver));
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
    }

    fn show_difference(&self, other: &MeasuredSet) {
        let MeasuredSet { target, reached, scripts } = other;
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
            let those: std::collections::BTreeSet<u32> = those.iter().copied().collect();
            let only: Vec<u32> = these.iter().copied().filter(|function| !those.contains(function)).collect();
            report::names(target, &only)
        };
        (only(&first, &second), only(&second, &first))
    }

    fn json(&self) -> Value {
        let MeasuredSet { target, reached, scripts } = &self.measured;
        let against = self.against.as_ref().map(|other| {
            let (only_first, only_other) = self.differences(other);
            json!({
                "scripts": other.scripts,
                "summary": report::summarise(&other.target, &other.reached),
                "only_first": only_first,
                "only_against": only_other,
            })
        });
        json!({
            "solver": self.solver,
            "level": self.level,
            "scripts": scripts,
            "summary": report::summarise(target, reached),
            "scopes": report::by_scope(target, reached),
            "unreached": report::unreached(target, reached, self.args.unreached),
            "against": against,
        })
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
            "{:>8} functions whose blocks cannot be told from their code; only their entries are counted",
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
