//! `gainsay enumerate`: all scripts of one assertion over a theory, up to a number of operators.
//!
//! Script n depends only on the settings and n, so that `--shard` divides the work between processes.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::solver::cache::DiskError;
use gainsay_engine::strategy::enumerate::enumerator::{EnumerationSettings, Enumerator, MAX_KEPT_TERMS};
use gainsay_engine::strategy::generate::theory::TheoryChoice;
use gainsay_smt::exhaust::{self, ExactAnswer, ExhaustionBudget};
use gainsay_smt::{Script, Signature, sat_queries};

use crate::exit::UsageError;
use crate::json::making::EnumeratedScripts;
use crate::{console, json};

const ENUMERATE_EXAMPLES: &str = "Examples:
  gainsay enumerate --theory bv --sort \"(_ BitVec 2)\" --size 3 --count
  gainsay enumerate --theory bv --sort \"(_ BitVec 2)\" --size 2 --out scripts
  gainsay enumerate --theory bv --sort \"(_ BitVec 2)\" --size 4 --shard 3/1000 --out scripts
  gainsay enumerate --theory fp --sort \"(_ FloatingPoint 2 3)\" --size 2 --decide --count --json

Of scripts that differ only in the names of constants, or in the order of arguments of a commutative operator, one is
made. With --out, script 1 is DIR/000000001.smt2; the numbers are the same for every shard.";

/// Steps of exhaustion for one script.
const STEPS_PER_SCRIPT: u64 = 1_000_000;

/// Arguments of `gainsay enumerate`.
#[derive(Debug, Args)]
#[command(after_help = ENUMERATE_EXAMPLES)]
pub struct EnumerateArgs {
    /// Theories, by name, or a logic.
    #[arg(long = "theory", required = true, value_delimiter = ',', value_name = "THEORY")]
    theories: Vec<String>,
    /// Sorts to use: "(_ BitVec 2)".
    #[arg(long = "sort", required = true, value_name = "SORT")]
    sorts: Vec<String>,
    /// Maximum number of operators of the assertion.
    #[arg(long, value_name = "N")]
    size: usize,
    /// Number of free variables per sort.
    #[arg(long, default_value_t = 2, value_name = "N")]
    variables: usize,
    /// Make only every N-th script, from the I-th on.
    #[arg(long, value_name = "I/N", value_parser = shard, default_value = "1/1")]
    shard: (u64, u64),
    /// Stop after this many scripts [default: no limit].
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// A folder for the scripts [required without --count; no default].
    #[arg(long, short, value_name = "DIR", required_unless_present = "count")]
    out: Option<PathBuf>,
    /// Decide each script by exhaustion, and count the answers.
    #[arg(long)]
    decide: bool,
    /// Count the scripts without writing them.
    #[arg(long)]
    count: bool,
    /// Print one JSON object: scripts, operators, sat, unsat, undecided, cpu_seconds.
    #[arg(long)]
    json: bool,
}

/// How many scripts there were, by answer.
#[derive(Debug, Default)]
struct EnumerationCount {
    scripts: u64,
    sat: u64,
    unsat: u64,
    undecided: u64,
}

/// Runs the command.
pub fn run(args: &EnumerateArgs) -> anyhow::Result<ExitCode> {
    let mut theories = Vec::new();
    for name in &args.theories {
        theories.extend(TheoryChoice::read(name).map_err(|error| UsageError(error.to_string()))?.theories);
    }
    let settings = EnumerationSettings {
        theories,
        sorts: args.sorts.clone(),
        variables: args.variables,
        size: args.size,
        kept_terms: MAX_KEPT_TERMS,
        shown: None,
    };
    let signature = Signature::standard();
    let mut enumerator = Enumerator::new(&signature, settings, &[]).map_err(|error| UsageError(error.0))?;
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder).map_err(|reason| DiskError { path: folder.clone(), reason })?;
    }
    let before = gainsay_engine::solver::own_cpu_time();
    let mut count = EnumerationCount::default();
    let mut trouble = None;
    let operators = enumerator.operator_count();
    let (first, step) = args.shard;
    enumerator
        .run(&mut |number, text| {
            if number % step != first - 1 {
                return ControlFlow::Continue(());
            }
            if args.limit.is_some_and(|limit| count.scripts >= limit) {
                return ControlFlow::Break(());
            }
            count.scripts += 1;
            if let Some(folder) = &args.out {
                let path = folder.join(format!("{:09}.smt2", number + 1));
                if let Err(reason) = fs::write(&path, text()) {
                    trouble = Some(DiskError { path, reason });
                    return ControlFlow::Break(());
                }
            }
            if args.decide {
                count.decide(&text(), &signature);
            }
            ControlFlow::Continue(())
        })
        .map_err(|error| UsageError(error.0))?;
    if let Some(trouble) = trouble {
        return Err(trouble.into());
    }
    let cpu = (gainsay_engine::solver::own_cpu_time() - before).as_secs_f64();
    count.show(args, operators, cpu);
    Ok(ExitCode::SUCCESS)
}

impl EnumerationCount {
    fn decide(&mut self, text: &str, signature: &std::sync::Arc<Signature>) {
        let answer = Script::parse(text, signature).ok().map(|script| {
            let budget = ExhaustionBudget::of_steps(STEPS_PER_SCRIPT);
            exhaust::decide(&script, &sat_queries(&script)[0], budget).answer
        });
        match answer {
            Some(ExactAnswer::Sat { open, .. }) if open.is_empty() => self.sat += 1,
            Some(ExactAnswer::Unsat) => self.unsat += 1,
            _ => self.undecided += 1,
        }
    }

    fn show(&self, args: &EnumerateArgs, operators: usize, cpu: f64) {
        let EnumerationCount { scripts, sat, unsat, undecided } = *self;
        if args.json {
            json::print(&EnumeratedScripts { scripts, operators, sat, unsat, undecided, cpu_seconds: cpu });
            return;
        }
        console::out(format_args!("{scripts} scripts over {operators} operators, {cpu:.2} CPU seconds"));
        if args.decide {
            console::out(format_args!("by exhaustion: {sat} sat, {unsat} unsat, {undecided} undecided"));
        }
    }
}

/// Reads `I/N`.
fn shard(text: &str) -> Result<(u64, u64), String> {
    let read =
        text.split_once('/').and_then(|(first, count)| Some((first.parse().ok()?, count.parse().ok()?)));
    let fits = |&(first, count): &(u64, u64)| (1..=count).contains(&first);
    read.filter(fits).ok_or_else(|| "write I/N with I from 1 to N, as in 3/1000".to_owned())
}
