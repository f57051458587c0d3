//! `gainsay fuzz [CAMPAIGN.toml]`: runs a campaign from a file or flags, or resumes one.
//!
//! Flags override the file. The effective plan is stored with the results, and a resumed campaign keeps it; only the budget,
//! the number of jobs and the known bugs may change then, since these do not affect the cases.

pub mod plan;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use gainsay_engine::campaign::drawn_logic::LogicChoice;
use gainsay_engine::campaign::plan_check::default_strategies;
use gainsay_engine::campaign::shard::Shard;
use gainsay_engine::coverage::target::Level;
use gainsay_engine::feedback::order::SeedOrder;
use gainsay_engine::schedule::Schedule;
use gainsay_engine::solver::profile::Tier;
use gainsay_engine::strategy::ScopeChoice;
use gainsay_engine::strategy::mutation_weights::MutationChoice;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::time_span;

use crate::campaign_run::{self, DisplayMode};
use crate::environment::{Environment, SandboxArgs};
use crate::operator_files::OperatorFileArgs;
use crate::report::findings::FindingsFormat;
use crate::{changed_code, console};

const FUZZ_EXAMPLES: &str = "Examples:
  gainsay fuzz --seeds benchmarks/ --solver z3@latest --solver cvc5@latest --time 10m
  gainsay fuzz --seeds a.smt2 --solver z3@4.8.10 --solver z3@latest --strategy operator --cases 1000
  gainsay fuzz --seeds benchmarks/ --solver z3=./build/z3 --reference cvc5@latest --out nightly --known known.txt
  gainsay fuzz --seeds benchmarks/ --solver z3@latest --solver cvc5@latest --schedule thompson --time 8h
  gainsay fuzz --seeds benchmarks/ --solver z3@latest --solver cvc5@latest --questions core --question-share 80
  gainsay fuzz --seeds benchmarks/ --solver z3@5.4.0 --solver cvc5@1.4.2 --coverage --time 1h
  gainsay fuzz --seeds benchmarks/ --changed z3@4.16.0..z3@5.4.0 --time 1h      what changed between two releases
  gainsay fuzz --seeds benchmarks/ --changed main..HEAD --repository ~/z3 --solver z3=./build/z3 --solver cvc5@latest
  gainsay fuzz --seeds benchmarks/ --solver z3=./build/z3 --scope small    one solver alone
  gainsay fuzz nightly.toml --jobs 8           a campaign file; flags override it
  gainsay fuzz nightly.toml --shard 3/20       the third of twenty parts; `gainsay merge` joins them
  gainsay fuzz nightly.toml --store postgres://fuzz@db.example/nightly    `gainsay work` joins from other machines
  gainsay fuzz                                 the file gainsay.toml in this folder or above it
  gainsay fuzz --resume --out nightly          resume

gainsay installs missing solvers (NAME@VERSION). Without --time, --cases or --findings a campaign runs until Ctrl-C: press
it once to finish the running cases, twice to stop immediately. docs/campaign-file.md explains all keys of a campaign file.

The exit code is 0 without new findings, 10 with new findings, 2 if the plan or the seeds are wrong, 4 if a solver
cannot run, 5 if the disk is full, 6 if no cases were run, so that nothing was tested. `gainsay --help` lists all exit codes.

A resumed campaign refuses a local program (NAME=COMMAND, NAME) whose SHA-256 has changed, unless --accept-changed-solvers
is given: the results of two programs would be mixed.";

/// The help of `--strategy`, with the names of the default strategies.
fn strategy_help() -> String {
    let names: Vec<&str> = default_strategies().map(|(name, _)| name).collect();
    format!("Strategies, separated by commas [default: {}]", names.join(","))
}

/// Arguments of `gainsay fuzz`.
#[derive(Debug, Args)]
#[command(after_help = FUZZ_EXAMPLES)]
pub struct FuzzArgs {
    /// A campaign file, or with --resume the folder of a campaign.
    #[arg(value_name = "CAMPAIGN.toml")]
    campaign: Option<PathBuf>,
    /// NAME@VERSION, NAME (on PATH) or NAME=COMMAND, with options after it: "z3@4.8.10 rewriter.flat=false".
    #[arg(long = "solver", short, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// A solver to compare with; repeatable [default: none, all solvers get all cases; references get, in this order, only those
    /// cases in which nothing else tells whether an answer is right].
    #[arg(long = "reference", value_name = "SOLVER")]
    references: Vec<String>,
    #[arg(long = "strategy", value_delimiter = ',', value_name = "NAME", help = strategy_help())]
    strategies: Vec<String>,
    /// How to choose seeds and strategies: uniformly, or by a bandit that learns which strategy pays off on which theory [default: uniform].
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<ScheduleName>,
    /// Measure which functions, blocks or lines of the solvers the campaign reaches [default without a value: functions].
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "functions")]
    coverage: Option<Level>,
    /// Keep scripts that reach new code, and start half of the chains from them; needs --coverage and --schedule [default: off].
    #[arg(long)]
    queue: bool,
    /// Lead the campaign to the functions of NEW that differ from OLD: two solvers, or two revisions with --repository. Seeds and
    /// strategies that reach them are chosen more often, and the report tells which were reached [default: no change leads].
    #[arg(long, value_name = "OLD..NEW", value_parser = changed_code::split, conflicts_with = "coverage")]
    changed: Option<(String, String)>,
    /// The git repository of the revisions of --changed; the first solver is a build of NEW with a line table (-g1) [default: none, so
    /// that --changed names two solvers].
    #[arg(long, value_name = "DIR", requires = "changed")]
    repository: Option<PathBuf>,
    /// Files and folders of SMT-LIB scripts to start from.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    seeds: Vec<PathBuf>,
    /// The folder for all records [default: a new folder in the current folder].
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep all records in a store that other processes share, and work with them: postgres://USER@HOST/DATABASE [default: the folder --out].
    #[arg(long, value_name = "STORE", conflicts_with_all = ["out", "resume", "shard", "triage"])]
    store: Option<String>,
    /// Skip seeds with more bytes than this [default: 100000].
    #[arg(long, value_name = "BYTES")]
    seed_bytes: Option<u64>,
    /// Stop after this time: 90s, 10m, 1h30m [default: no limit].
    #[arg(long, value_name = "TIME", value_parser = time_span::read)]
    time: Option<f64>,
    /// Stop after this many cases, including skipped ones [default: no limit].
    #[arg(long, short = 'n', value_name = "N")]
    cases: Option<u64>,
    /// Stop after this many distinct new findings [default: no limit].
    #[arg(long, value_name = "N")]
    findings: Option<u64>,
    /// Run one of several equal parts of the campaign, to be joined by `gainsay merge`: 3/20 is the third of twenty
    /// [default: the whole campaign].
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Number of cases to run in parallel [default: one per core].
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// The random seed [default: drawn and printed].
    #[arg(long, value_name = "N")]
    rng_seed: Option<u64>,
    /// Length of a chain: mutations applied to a seed in a row, each of which is a case [default: 10; 100 if all strategies keep the answer].
    #[arg(long, value_name = "K")]
    chain: Option<u64>,
    /// Timeout per solver run: 10, 500ms, 1m [default: 2s].
    #[arg(long, value_name = "TIME", value_parser = time_span::read)]
    timeout: Option<f64>,
    /// Memory limit per solver run, in megabytes [default: 1024].
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// Draw random solver options from this tier of their profiles [default: none].
    #[arg(long, value_name = "TIER")]
    options: Option<OptionTier>,
    #[command(flatten)]
    files: OperatorFileArgs,
    /// Questions beyond sat and unsat that cases ask, separated by commas; none asks nothing [default: all].
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    questions: Vec<String>,
    /// Percentage of cases that ask such a question [default: 20].
    #[arg(long, value_name = "PERCENT")]
    question_share: Option<u8>,
    /// How the strategy value chooses constants: random, bec, or bec+domains [default: random].
    #[arg(long, value_name = "SOURCE", value_parser = ConstantSource::read)]
    values: Option<ConstantSource>,
    /// Which scripts have so few values that gainsay can decide most of them by itself: some (a third of the scripts of the
    /// strategy generate, and one chain in ten, which starts from a shrunk seed), mixed (a third of the scripts of generate, no
    /// chains), small (all of them), ordinary (none) [default: some].
    #[arg(long, value_name = "SCOPE", value_parser = read_scope)]
    scope: Option<ScopeChoice>,
    /// Which logics scripts name: own (those of their seeds), drawn (half of the chains name another one, ALL, or none) [default: own].
    #[arg(long, value_name = "LOGICS", value_parser = read_logics)]
    logics: Option<LogicChoice>,
    /// The solver that proposes values for constants [default: the newest solver of the campaign].
    #[arg(long, value_name = "SOLVER")]
    helper: Option<String>,
    /// Order of seeds for the strategy horn: default, rare, complex, simple, or two as in complex+rare [default: default].
    #[arg(long, value_name = "ORDER")]
    order: Option<SeedOrder>,
    /// How the strategy horn draws mutations [default: weighted].
    #[arg(long, value_name = "HOW")]
    weights: Option<MutationChoiceName>,
    /// Percentage of cases of the strategy horn with random solver options [default: 33].
    #[arg(long, value_name = "PERCENT")]
    parameters: Option<u8>,
    /// A file of fingerprints of known bugs.
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Resume the campaign in --out.
    #[arg(long)]
    resume: bool,
    /// With --resume: go on although the program of a solver has changed since the campaign began.
    #[arg(long, requires = "resume")]
    accept_changed_solvers: bool,
    /// Triage findings in the background: confirm, reduce, test installed releases, group.
    #[arg(long)]
    triage: bool,
    /// Print one event per line as JSON, and the totals as the last line.
    #[arg(long)]
    json: bool,
    /// Print the findings at the end as a document for another program; nothing else goes to standard output.
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "plain"])]
    format: Option<FindingsFormat>,
    /// Print plain lines, even on a terminal.
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Reads a scope by its name in campaign files.
fn read_scope(text: &str) -> Result<ScopeChoice, String> {
    match text {
        "some" => Ok(ScopeChoice::Some),
        "mixed" => Ok(ScopeChoice::Mixed),
        "small" => Ok(ScopeChoice::Small),
        "ordinary" => Ok(ScopeChoice::Ordinary),
        _ => Err("write some, mixed, small or ordinary".to_owned()),
    }
}

/// Reads which logics scripts name, as in campaign files.
fn read_logics(text: &str) -> Result<LogicChoice, String> {
    match text {
        "own" => Ok(LogicChoice::Own),
        "drawn" => Ok(LogicChoice::Drawn),
        _ => Err("write own or drawn".to_owned()),
    }
}

/// The tier of solver options to draw from, if any.
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
            None => PossibleValue::new("none").help("No random options"),
            Some(tier) => PossibleValue::new(tier.name()).help(tier.about()),
        })
    }
}

/// A schedule by name.
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
            "thompson" => "Thompson sampling: choose each arm with the probability that it is the best",
            "ucb" => "The arm with the highest upper bound (UCB1)",
            "epsilon" => "Epsilon-greedy: the best arm so far, and a random one in 10 % of the cases",
            _ => "No bandit: seeds in turn, a random strategy for each case",
        }))
    }
}

/// A way to draw mutations, by name.
#[derive(Debug, Clone, Copy)]
struct MutationChoiceName(MutationChoice);

impl ValueEnum for MutationChoiceName {
    fn value_variants<'a>() -> &'a [Self] {
        &[MutationChoiceName(MutationChoice::Weighted), MutationChoiceName(MutationChoice::Uniform)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self.0 {
            MutationChoice::Weighted => {
                PossibleValue::new("weighted").help("By how often they led to a new trace")
            }
            MutationChoice::Uniform => PossibleValue::new("uniform").help("All mutations equally often"),
        })
    }
}

/// Runs the command.
pub fn run(args: &FuzzArgs) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let show = match () {
        () if args.json => DisplayMode::Json,
        () if args.format.is_some() => DisplayMode::Silent,
        () if console::is_quiet() => DisplayMode::Silent,
        () if args.plain => DisplayMode::Lines,
        () => DisplayMode::Best,
    };
    let campaign = match plan::resumed(args, &environment)? {
        Some(campaign) => campaign,
        None => plan::fresh(args, &environment)?,
    };
    let campaign = if args.triage { campaign.with_triage() } else { campaign };
    campaign_run::run(campaign, &environment, show, args.format)
}
