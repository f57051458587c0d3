//! `gainsay mutate`: mutates seeds without running solvers.
//!
//! The scripts equal those of a campaign with the same seeds, strategies, chain length and `--rng-seed`, byte for byte, for
//! any number of jobs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Args;
use gainsay_engine::campaign::advice::{Advice, AdviceSource, WantedAdvice};
use gainsay_engine::campaign::chain::{Chain, MadeScript, Reread, Step, StepOutcome};
use gainsay_engine::campaign::partners::{PartnerLibrary, PartnerPools};
use gainsay_engine::campaign::plan::{CampaignPlan, FusionPlan, SizeBounds, ValuePlan};
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::prepare::Preparation;
use gainsay_engine::seeds::{Seed, Seeds};
use gainsay_engine::solver::runner::Launcher;
use gainsay_engine::solver::suggest;
use gainsay_engine::strategy::operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{self, CaseBounds, Strategy, StrategySettings};
use gainsay_engine::trial::Promise;
use gainsay_smt::{Script, Signature};

use crate::campaign_setup;
use crate::case_files::{CaseFolder, CaseOrigin};
use crate::console;
use crate::display::format;
use crate::environment::{Environment, SandboxArgs};
use crate::exit::{InternalBug, NoOutput, NothingTested, UsageError};
use crate::json;
use crate::json::making::MadeCases;
use crate::operator_files::OperatorFileArgs;
use crate::overwrite::ForceArgs;
use crate::solver_lookup;

const MUTATE_EXAMPLES: &str = "Examples:
  gainsay mutate --strategy generative --seeds corpus -n 1000 --out cases
  gainsay mutate --strategy generative,operator --seeds a.smt2 b.smt2 -n 50 --chain 10 --rng-seed 7 --out cases
  gainsay mutate --strategy value --values bec+domains --helper z3@latest --seeds corpus -n 500 --out cases
  gainsay mutate --strategy subterm --seeds corpus -n 100000 --discard --json     measure the speed

With --out, case 1 is DIR/000001.smt2, and DIR/000001.json says how it was made. Its logic is that of the seed if it contains
the case, else the smallest that does. The exit code is 6 if no case could be made.";

/// Arguments of `gainsay mutate`.
#[derive(Debug, Args)]
#[command(after_help = MUTATE_EXAMPLES)]
pub struct MutateArgs {
    /// Strategies; each case draws one of them.
    #[arg(long = "strategy", required = true, value_delimiter = ',', value_name = "NAME")]
    strategies: Vec<String>,
    /// Files and folders of seeds.
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    seeds: Vec<PathBuf>,
    /// Number of cases.
    #[arg(short = 'n', long = "cases", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    rng_seed: u64,
    /// Length of a chain: mutations applied to a seed in a row, each of which is a case.
    #[arg(long, default_value_t = 10, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    chain: u64,
    /// Number of threads.
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..1000))]
    jobs: u64,
    #[command(flatten)]
    files: OperatorFileArgs,
    /// Sizes of composed fusion functions, in functions; 1 is a single function [default: 1].
    #[arg(long = "function-size", alias = "size", value_delimiter = ',', value_name = "N")]
    sizes: Vec<usize>,
    /// How the strategy value chooses constants: random, bec, or bec+domains, which need --helper.
    #[arg(long, default_value = "random", value_name = "SOURCE", value_parser = ConstantSource::read)]
    values: ConstantSource,
    /// The solver that proposes values for constants [default: none].
    #[arg(long, value_name = "SOLVER")]
    helper: Option<String>,
    /// Maximum number of queries to the helper per seed.
    #[arg(long, default_value_t = ValuePlan::default().asks, value_name = "N")]
    asks: u32,
    /// Use only operators that these solvers support [default: those that the newest z3 and cvc5 share].
    #[arg(long = "solver", short, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// A folder for the cases [required without --discard; no default].
    #[arg(long, short, value_name = "DIR", required_unless_present = "discard", conflicts_with = "discard")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Make the cases without writing them, to measure the speed.
    #[arg(long)]
    discard: bool,
    /// Do not parse the cases again; bugs in gainsay go unnoticed.
    #[arg(long, requires = "discard")]
    unchecked: bool,
    /// Print one JSON object: cases, skipped, cpu_seconds.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Reasons for skipped cases that are shown.
const MAX_REASONS_SHOWN: usize = 4;

/// Runs the command.
pub fn run(args: &MutateArgs) -> anyhow::Result<ExitCode> {
    let strategies = strategies(&args.strategies)?;
    let bounds = SizeBounds::default();
    let is_requested = !args.solvers.is_empty() || args.helper.is_some();
    let environment = is_requested.then(Environment::read).transpose()?;
    let solvers = match &environment {
        Some(environment) => solver_lookup::find_or_install(environment, &args.solvers)?,
        None => Vec::new(),
    };
    let known: Vec<_> = solvers.iter().map(|solver| (&*solver.profile, solver.version.as_ref())).collect();
    let (signature, operators) = operators::load(&args.files.signatures, &args.files.classes, &known)?;
    let seeds = Seeds::load(&args.seeds, bounds.seed_bytes, &signature, &mut |_, _| {})?;
    let fusion = FusionPlan { functions: args.files.functions.clone(), sizes: args.sizes.clone() };
    let fusion = campaign_setup::fusion_kit(&fusion, &signature, &known)?;
    let bounds = CaseBounds { bytes: bounds.case_bytes, depth: bounds.depth };
    let settings = StrategySettings {
        bounds,
        operators,
        fusion,
        values: args.values,
        // Mutants have the sorts of their seeds.
        scope: gainsay_engine::strategy::ScopeChoice::Mixed,
        formats: Default::default(),
        enumerations: Default::default(),
    };
    let recipe = Recipe::new(args.rng_seed, args.chain, strategies, settings);
    let phrases = recipe.keeps_answers() && args.helper.is_some();
    let wanted = WantedAdvice { values: recipe.takes_values(), phrases };
    let advice_source =
        if wanted.values || wanted.phrases { Some(open_adviser(args, wanted, environment)?) } else { None };
    let folder = args.out.as_deref().map(|folder| CaseFolder::create(folder, args.force)).transpose()?;
    let seeds = seeds.list();
    let pools = PartnerPools::new(seeds.iter().map(|seed| (seed.status, seed.sorts.as_str())));
    let read = |number: usize| Script::parse(&seeds[number].read().ok()?, &signature).ok();
    let library = PartnerLibrary::new(pools, read);
    let next = AtomicU64::new(0);
    let advice = Advice::new(advice_source.as_ref().map(|(advice_source, _)| advice_source), seeds.len());
    let launcher = advice_source.as_ref().map(|(_, launcher)| launcher);
    let job = MutationJob {
        args,
        folder,
        recipe: &recipe,
        seeds,
        library: &library,
        signature: &signature,
        next,
        advice,
        launcher,
    };
    let before = cpu_seconds();
    let count = job.run()?;
    let cpu = cpu_seconds() - before;
    let reasons = format::most_frequent(&count.reasons, MAX_REASONS_SHOWN);
    if args.json {
        json::print(&MadeCases {
            cases: count.cases,
            skipped: count.skipped,
            cpu_seconds: Some(cpu),
            skipped_by_reason: count.reasons.clone(),
        });
    } else {
        let rate = count.cases as f64 / cpu.max(1e-9);
        let why = if reasons.is_empty() { String::new() } else { format!(" ({reasons})") };
        console::out(format_args!(
            "{}, {} skipped{why}, {cpu:.2} CPU seconds ({rate:.0} cases per CPU second)",
            format::plural(count.cases, "case"),
            count.skipped
        ));
    }
    match (count.bug, count.cases) {
        (Some(bug), _) => Err(InternalBug(bug).into()),
        (None, 0) => Err(NothingTested(no_case(&count.reasons)).into()),
        (None, _) => Ok(ExitCode::SUCCESS),
    }
}

/// Says that no case was made, and why not.
fn no_case(reasons: &BTreeMap<String, u64>) -> String {
    let mut reasons: Vec<_> = reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let reason =
        |(reason, count): &(&String, &u64)| format!("{reason} ({})", format::plural(**count, "case"));
    let reasons: Vec<String> = reasons.iter().take(MAX_REASONS_SHOWN).map(reason).collect();
    format!("no case was made: {}", reasons.join("; "))
}

/// Opens the helper that proposes values.
fn open_adviser(
    args: &MutateArgs,
    wanted: WantedAdvice,
    environment: Option<Environment>,
) -> anyhow::Result<(AdviceSource, Launcher)> {
    let environment = environment.map_or_else(Environment::read, Ok)?.with_sandbox(args.sandbox);
    let launcher = environment.launcher()?;
    let values =
        ValuePlan { way: args.values, helper: args.helper.clone(), asks: args.asks, ..ValuePlan::default() };
    let mut plan = CampaignPlan { rng_seed: args.rng_seed, values, ..CampaignPlan::default() };
    Ok((campaign_setup::open_adviser(&mut plan, wanted, &environment, (&launcher, &[]))?, launcher))
}

fn strategies(names: &[String]) -> Result<Vec<&'static dyn Strategy>, UsageError> {
    let known = || strategy::ALL.iter().map(|strategy| strategy.name()).collect::<Vec<_>>().join(", ");
    let near = |name: &str| suggest::hint(name, strategy::ALL.iter().map(|strategy| strategy.name()));
    names
        .iter()
        .map(|name| {
            strategy::find(name).ok_or_else(|| {
                UsageError(format!("unknown strategy {name}{}; choose from {}", near(name), known()))
            })
        })
        .collect()
}

/// The work of all threads.
struct MutationJob<'a> {
    args: &'a MutateArgs,
    /// Where cases are written to.
    folder: Option<CaseFolder<'a>>,
    recipe: &'a Recipe,
    seeds: &'a [Seed],
    /// The second parents.
    library: &'a PartnerLibrary<'a>,
    signature: &'a std::sync::Arc<Signature>,
    /// The next chain.
    next: AtomicU64,
    /// Values for the constants of seeds.
    advice: Advice<'a>,
    /// How to start the helper.
    launcher: Option<&'a Launcher>,
}

/// Counts of cases.
#[derive(Default)]
struct MutationCount {
    cases: u64,
    skipped: u64,
    reasons: BTreeMap<String, u64>,
    bug: Option<String>,
}

impl MutationJob<'_> {
    fn run(&self) -> anyhow::Result<MutationCount> {
        let mut total = MutationCount::default();
        let counts: Vec<anyhow::Result<MutationCount>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.args.jobs).map(|_| scope.spawn(|| self.work())).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|_| Err(InternalBug("a worker panicked".to_owned()).into()))
            };
            workers.into_iter().map(join).collect()
        });
        for count in counts {
            let count = count?;
            total.cases += count.cases;
            total.skipped += count.skipped;
            for (why, count) in count.reasons {
                *total.reasons.entry(why).or_default() += count;
            }
            total.bug = total.bug.or(count.bug);
        }
        Ok(total)
    }

    /// Runs chains until all are taken.
    fn work(&self) -> anyhow::Result<MutationCount> {
        let mut count = MutationCount::default();
        let mut visits = self.recipe.visits(self.seeds.len());
        loop {
            let chain = self.next.fetch_add(1, Ordering::Relaxed);
            if self.recipe.cases_of(chain).start >= self.args.cases {
                return Ok(count);
            }
            let number = visits.seed_of(chain);
            let seed = &self.seeds[number];
            let script = Script::parse(&seed.read()?, self.signature)?;
            let reread = if self.args.unchecked { Reread::No } else { Reread::Yes };
            let visits = chain / self.seeds.len() as u64;
            let chain = Chain::new(self.recipe, chain, &script, seed.status, reread);
            let mut chain = chain.with_partners(number, self.library);
            let never = AtomicBool::new(false);
            let advised = self.launcher.and_then(|launcher| {
                self.advice.get(number, chain.seed(), launcher, &never, &mut |_, _| {}).ok().flatten()
            });
            if let Some(advised) = advised {
                chain = chain.with_advice(advised, visits);
            }
            for step in chain {
                if step.case < self.args.cases {
                    self.take(seed, &step, &mut count)?;
                }
            }
        }
    }

    fn take(&self, seed: &Seed, step: &Step, count: &mut MutationCount) -> anyhow::Result<()> {
        match &step.outcome {
            StepOutcome::Made(made) => {
                count.cases += 1;
                if let Some(folder) = &self.folder {
                    self.write(folder, seed, step, made)?;
                }
            }
            StepOutcome::Skipped(why) => {
                count.skipped += 1;
                *count.reasons.entry(why.name().to_owned()).or_default() += 1;
            }
            StepOutcome::OurBug(message) => {
                count.skipped += 1;
                let place = format!("case {} ({}, seed {})", step.case, step.strategy, seed.name);
                count.bug.get_or_insert_with(|| format!("{place}: {message}"));
            }
        }
        Ok(())
    }

    /// Writes a case and its origin, with a logic that contains the script.
    fn write(
        &self,
        folder: &CaseFolder<'_>,
        seed: &Seed,
        step: &Step,
        made: &MadeScript,
    ) -> Result<(), NoOutput> {
        let partners = made.joined.iter().map(|joined| &self.seeds[joined.seed].name);
        let parents = std::iter::once(&seed.name).chain(partners).cloned().collect();
        let promise = match made.promise {
            Promise::Nothing if strategy::find(step.strategy).is_some_and(Strategy::keeps_answer) => "parent",
            Promise::Nothing | Promise::Claimed => "none",
            Promise::Known(answer) | Promise::Constructed(answer) => answer.name(),
        };
        let origin = CaseOrigin { strategy: step.strategy, parents, step: made.step.to_string(), promise };
        folder.write(step.case, &Preparation::standard(&made.script, &made.text), &origin)
    }
}

/// CPU seconds of this process so far.
fn cpu_seconds() -> f64 {
    gainsay_engine::solver::own_cpu_time().as_secs_f64()
}
