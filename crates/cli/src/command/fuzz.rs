//! `gainsay fuzz [CAMPAIGN.toml]`: a campaign, from a file, from flags, or on from where it stopped.
//!
//! Flags win over the file. The effective plan is written beside the results, and a campaign that goes on keeps it; only
//! when to stop, how many jobs and which bugs are known may change then, since these change no case.

pub mod plan;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use gainsay_engine::feedback::order::SeedOrder;
use gainsay_engine::feedback::weights::MutationChoice;
use gainsay_engine::schedule::Schedule;
use gainsay_engine::solver::profile::Tier;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::time_span;

use crate::campaign_run::{self, DisplayMode};
use crate::environment::{Environment, SandboxArgs};

const FUZZ_EXAMPLES: &str = "Examples:
  gainsay fuzz --seeds benchmarks/ --solver z3@latest --solver cvc5@latest --time 10m
  gainsay fuzz --seeds a.smt2 --solver z3@4.8.10 --solver z3@latest --strategy operator --cases 1000
  gainsay fuzz --seeds benchmarks/ --solver z3=./build/z3 --solver cvc5@latest --out nightly --known known.txt
  gainsay fuzz --seeds benchmarks/ --solver z3@latest --solver cvc5@latest --schedule thompson --time 8h
  gainsay fuzz nightly.toml --jobs 8           a campaign file; flags win
  gainsay fuzz --resume --out nightly          goes on

Solvers that gainsay manages (NAME@VERSION) are installed if they are not there yet. Without --time, --cases or
--findings a campaign goes on until Ctrl-C: once to finish the cases in flight, twice to stop at once.
All keys of a campaign file are explained in docs/campaign-file.md.

The exit code is 0 if nothing new was found, 10 if something was, 2 if the plan or the seeds are wrong, 4 if a solver
cannot run, 5 if the disk is full, 6 if no case was made: the campaign says nothing about the solvers then.";

/// Arguments of `gainsay fuzz`.
#[derive(Debug, Args)]
#[command(after_help = FUZZ_EXAMPLES)]
pub struct FuzzArgs {
    /// A campaign file, or the folder of a campaign to go on with.
    #[arg(value_name = "CAMPAIGN.toml")]
    campaign: Option<PathBuf>,
    /// NAME@VERSION, NAME (on PATH) or NAME=COMMAND, with options after it: "z3@4.8.10 rewriter.flat=false".
    #[arg(long = "solver", short, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Strategies that make cases, separated by commas; all of them if none are named.
    #[arg(long = "strategy", value_delimiter = ',', value_name = "NAME")]
    strategies: Vec<String>,
    /// Who chooses what chains are begun with: nobody, or an agent that learns which strategy pays on which theory.
    #[arg(long, value_name = "WHO")]
    schedule: Option<ScheduleName>,
    /// Files and folders of SMT-LIB scripts to start from.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    seeds: Vec<PathBuf>,
    /// The folder for all records; a fresh one in the current folder if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Stop after this time: 90s, 10m, 1h30m.
    #[arg(long, value_name = "TIME", value_parser = time_span::read)]
    time: Option<f64>,
    /// Stop after so many cases, skipped ones included.
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// Stop after so many distinct new findings.
    #[arg(long, value_name = "N")]
    findings: Option<u64>,
    /// Cases that are run at the same time; one a core if not given.
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// The number that all random choices follow from; drawn and told if not given.
    #[arg(long, value_name = "N")]
    rng_seed: Option<u64>,
    /// Mutations of a seed in a row, each a case.
    #[arg(long, value_name = "K")]
    chain: Option<u64>,
    /// What each run of a solver may take: 2, 500ms.
    #[arg(long, value_name = "SECONDS", value_parser = time_span::read)]
    timeout: Option<f64>,
    /// Megabytes that each run of a solver may use.
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// Draw options of solvers at random from this tier of their profiles.
    #[arg(long, value_name = "TIER")]
    options: Option<OptionTier>,
    /// How the strategy value chooses constants: random, bec, or bec+domains.
    #[arg(long, value_name = "WAY", value_parser = ConstantSource::read)]
    values: Option<ConstantSource>,
    /// The solver that is asked for values of constants; the newest of the campaign's if not given.
    #[arg(long, value_name = "SOLVER")]
    helper: Option<String>,
    /// Which seeds come first for the strategy horn: default, rare, complex, simple, or two as in complex+rare.
    #[arg(long, value_name = "ORDER")]
    order: Option<SeedOrder>,
    /// How the strategy horn draws mutations: weighted by what they led to, or uniform.
    #[arg(long, value_name = "HOW")]
    weights: Option<MutationChoiceName>,
    /// In how many of 100 cases of the strategy horn options of solvers are drawn.
    #[arg(long, value_name = "PERCENT")]
    parameters: Option<u8>,
    /// A file of fingerprints that are known and need no attention.
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Go on with the campaign in --out.
    #[arg(long)]
    resume: bool,
    /// Triage findings as they come, one at a time beside the campaign: confirm, reduce, ask installed releases, group.
    #[arg(long)]
    triage: bool,
    /// Print one event a line as JSON, and one object with the sums as the last line.
    #[arg(long)]
    json: bool,
    /// Print lines, even on a terminal.
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Which options of solvers may be drawn, if any.
#[derive(Debug, Clone, Copy)]
struct OptionTier(Option<Tier>);

impl ValueEnum for OptionTier {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            OptionTier(None),
            OptionTier(Some(Tier::Safe)),
            OptionTier(Some(Tier::Stable)),
            OptionTier(Some(Tier::Expert)),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self.0 {
            None => PossibleValue::new("none").help("None"),
            Some(tier) => PossibleValue::new(tier.name()).help(tier.about()),
        })
    }
}

/// Who chooses what chains are begun with.
#[derive(Debug, Clone, Copy)]
struct ScheduleName(Schedule);

impl ValueEnum for ScheduleName {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: OnceLock<Vec<ScheduleName>> = OnceLock::new();
        ALL.get_or_init(|| Schedule::all().map(ScheduleName).collect())
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let name = self.0.name();
        Some(PossibleValue::new(name).help(match name {
            "thompson" => "Thompson sampling: each arm as often as it is likely to be the best",
            "ucb" => "The arm with the highest upper bound (UCB1)",
            "epsilon" => "The best arm so far, and any in one of ten cases",
            _ => "Nobody: seeds in turn, a strategy drawn for each case",
        }))
    }
}

/// How mutations are drawn.
#[derive(Debug, Clone, Copy)]
struct MutationChoiceName(MutationChoice);

impl ValueEnum for MutationChoiceName {
    fn value_variants<'a>() -> &'a [Self] {
        &[MutationChoiceName(MutationChoice::Weighted), MutationChoiceName(MutationChoice::Uniform)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self.0 {
            MutationChoice::Weighted => {
                PossibleValue::new("weighted").help("By how often there was a new trace after them")
            }
            MutationChoice::Uniform => PossibleValue::new("uniform").help("All alike"),
        })
    }
}

/// Runs the command.
pub fn run(args: &FuzzArgs) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let show = match () {
        () if args.json => DisplayMode::Json,
        () if args.plain => DisplayMode::Lines,
        () => DisplayMode::Best,
    };
    let campaign = match plan::resumed(args, &environment)? {
        Some(campaign) => campaign,
        None => plan::fresh(args, &environment)?,
    };
    let campaign = if args.triage { campaign.with_triage() } else { campaign };
    campaign_run::run(campaign, &environment, show)
}
