//! `gainsay perf`: finds scripts that are slow on the target only, and the constructs that make them slow.
//!
//! The engine has the search loop; this file has the flags, the stopping conditions and the output: the slowest scripts, their
//! reduced versions, the ranking, and charts.

mod charts;
pub mod comparison;
mod output;
mod reduce_slow;

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use gainsay_engine::perf::panel::{EffortUnit, PerfPanel};
use gainsay_engine::perf::score::SolveEffort;
use gainsay_engine::perf::{AtBound, SearchMethod, SearchPlan, SearchStep, SlowScriptSearch};
use gainsay_engine::time_span;

use crate::exit::{self, NothingTested, UsageError};
use crate::stop::{StopMessages, StopRequest};
use comparison::{ComparisonArgs, SearchProgress, SolverComparison};
use output::{PerfConclusion, PerfOutput};

const PERF_EXAMPLES: &str = "Examples:
  gainsay perf --target z3@latest --reference cvc5@latest --theory fp --time 10m --out slow
  gainsay perf --target z3@4.8.10 --reference z3@latest --reference cvc5@latest --theory string --queries 2000 --out slow
  gainsay perf --target z3@latest --reference cvc5@latest --theory bv --score work --agent ucb --queries 500 --out slow
  gainsay perf --target z3@latest --reference cvc5@latest --theory fp --agent evolutionary --time 5m --out baseline

The margin of a script is the effort of the target minus that of the slowest reference; an unsolved script counts twice
the limit (PAR-2). The search ends after --time or --queries, or with a script that only the target cannot solve (unless
--go-on). With --out, report.html shows all results; best-01.reduced.smt2 and so on are the reduced scripts. --time is for all
of this: up to a fourth of it is kept for reducing scripts, and a query that still runs then is cut off and not counted.
The exit code is 10 if there is such a script or a crash, 6 if no query could be compared, 0 otherwise.";

/// Arguments of `gainsay perf`.
#[derive(Debug, Args)]
#[command(after_help = PERF_EXAMPLES)]
pub struct PerfArgs {
    #[command(flatten)]
    comparison: ComparisonArgs,
    /// How to choose the next construct: thompson, ucb, epsilon, random, mutational, evolutionary.
    #[arg(long, default_value = "thompson", value_name = "AGENT", value_parser = method)]
    agent: SearchMethod,
    /// The effort to compare: CPU seconds, or the solvers' own work counts relative to their usual work.
    #[arg(long, default_value = "cpu", value_name = "SCORE")]
    score: ScoreUnit,
    /// Restart with a new script after so many queries without a better score; after a third or a tenth of them if there was no gain yet.
    #[arg(long, default_value_t = 30, value_name = "N")]
    patience: u64,
    /// Minimum improvement of a score, in percent of the limit, to exclude noise.
    #[arg(long, default_value_t = 3.0, value_name = "PERCENT", value_parser = least_percent)]
    least: f64,
    /// Number of scripts to keep.
    #[arg(long, default_value_t = 5, value_name = "N")]
    keep: usize,
    /// Continue after a script that only the target cannot solve.
    #[arg(long)]
    go_on: bool,
    /// Maximum time to reduce each kept script, within --time: 20, 500ms, 1m; 0 disables reduction.
    #[arg(long, default_value = "20s", value_name = "TIME", value_parser = time_span::read)]
    reduce: f64,
}

/// The effort to compare.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ScoreUnit {
    /// CPU seconds.
    Cpu,
    /// The solvers' own work counts.
    Work,
}

/// The search ends if the references solved none of the first so many queries.
const MAX_USELESS_QUERIES: u64 = 20;

/// Runs the command.
pub fn run(args: &PerfArgs) -> anyhow::Result<ExitCode> {
    let comparison = SolverComparison::open(&args.comparison)?;
    let unit = match args.score {
        ScoreUnit::Cpu => EffortUnit::Cpu,
        ScoreUnit::Work => EffortUnit::Work,
    };
    let mut panel = comparison.panel(unit);
    if unit == EffortUnit::Work {
        panel.counts_work().map_err(|why| UsageError(format!("{why}; use --score cpu")))?;
    }
    if let Some(folder) = &args.comparison.out {
        args.comparison.force.check_folder(folder)?;
    }
    let reduces = args.reduce > 0.0 && args.comparison.out.is_some();
    let reduction_time = if reduces { Duration::from_secs_f64(args.reduce.min(1e6)) } else { Duration::ZERO };
    let kept = u32::try_from(args.keep.max(1)).unwrap_or(u32::MAX);
    let mut progress = SearchProgress::new(args.comparison.queries, args.comparison.time)
        .with_reserve(reduction_time.saturating_mul(kept));
    panel.set_deadline(progress.search_deadline());
    comparison.probe(&mut panel, args.comparison.rng_seed)?;
    let plan = plan(args, panel.limit());
    let stop = StopRequest::with_messages(&StopMessages {
        first: "gainsay: stopping after this query; press Ctrl-C again to stop immediately",
        second: "gainsay: stopped immediately; the best scripts so far are kept",
    })?;
    let output = PerfOutput::create(args.comparison.out.as_deref(), unit)?;
    let mut search = SlowScriptSearch::new(&comparison.generator, &comparison.constructs, plan);
    let remark = search_until_end(&mut search, &mut panel, &stop, &output, &mut progress)?;
    let small = match reduces {
        true => reduce_slow::all(&search.best, &mut panel, reduction_time, &progress, &stop)?,
        false => Vec::new(),
    };
    let conclusion = PerfConclusion {
        comparison: &comparison,
        search: &search,
        small: &small,
        remark: remark.as_deref(),
        limit: plan.limit,
        least: plan.least,
    };
    output.conclude(&conclusion, args.comparison.json)?;
    let slow = search.best.iter().any(|kept| {
        kept.score.target == SolveEffort::Unsolved && kept.score.references.iter().all(SolveEffort::is_solved)
    });
    match slow || !search.crashes.is_empty() {
        true => Ok(ExitCode::from(exit::EXIT_FINDINGS)),
        false if search.comparable == 0 => Err(NothingTested(nothing_compared(&search)).into()),
        false => Ok(ExitCode::SUCCESS),
    }
}

/// Why no query could be compared.
fn nothing_compared(search: &SlowScriptSearch<'_>) -> String {
    match (search.queries(), &search.lost) {
        (0, _) => "no query was made, so nothing was compared; increase --time".to_owned(),
        (queries, (0, _)) => format!(
            "the references solved none of {queries} scripts, so nothing was compared; increase --timeout, or make scripts \
             smaller with --depth and --assertions"
        ),
        (queries, (lost, why)) => {
            format!("nothing was compared in {queries} queries; {lost} have no score, the last because {why}")
        }
    }
}

fn plan(args: &PerfArgs, limit: f64) -> SearchPlan {
    SearchPlan {
        method: args.agent,
        limit,
        least: limit * args.least / 100.0,
        patience: args.patience.max(1),
        bound: if args.go_on { AtBound::GoOn } else { AtBound::Stop },
        keep: args.keep.max(1),
        decay: args.comparison.decay,
        rng_seed: args.comparison.rng_seed,
    }
}

/// Searches until a stopping condition holds; returns the reason if the search ended early.
fn search_until_end(
    search: &mut SlowScriptSearch<'_>,
    panel: &mut PerfPanel<'_>,
    stop: &StopRequest,
    output: &PerfOutput,
    progress: &mut SearchProgress,
) -> anyhow::Result<Option<String>> {
    let mut remark = None;
    while remark.is_none() && progress.continues(search.queries()) && !stop.is_requested() {
        let state = |search: &SlowScriptSearch<'_>| {
            (search.best.first().map(|kept| kept.query), search.crashes.len())
        };
        let before = state(search);
        let next = search.step(&mut |script| panel.score(script)).map_err(comparison::solver_gone)?;
        let is_news = state(search) != before;
        if is_news {
            output.scripts(search)?;
        }
        let best = search.best.first().map_or(0.0, |kept| kept.margin);
        progress.show(search.queries(), &format!("best margin {best:.2}"), is_news);
        if next == SearchStep::Bound {
            remark = Some("only the target does not solve the best script".to_owned());
        } else if search.queries() >= MAX_USELESS_QUERIES
            && search.comparable == 0
            && search.lost.0 < search.queries()
        {
            remark = Some(format!(
                "stopped: the references solved none of the first {MAX_USELESS_QUERIES} scripts; increase --timeout, or make scripts smaller with --depth and --assertions"
            ));
        }
    }
    progress.finish();
    Ok(remark)
}

fn least_percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "write a number from 0 to 100".to_owned())
}

/// Finds a method by name.
pub fn method(name: &str) -> Result<SearchMethod, String> {
    SearchMethod::find(name)
        .ok_or_else(|| format!("unknown agent {name}; choose from {}", SearchMethod::METHOD_NAMES.join(", ")))
}
