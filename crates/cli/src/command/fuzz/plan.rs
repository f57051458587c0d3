//! Builds the plan of a campaign from a campaign file and flags.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gainsay_engine::bounded;
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::plan_check::default_strategies;
use gainsay_engine::store::Store;
use gainsay_engine::store::postgres::LEASE_TIME;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::strategy::{self, Strategy};

use super::FuzzArgs;
use crate::campaign_run::CampaignRun;
use crate::campaign_setup::ChangedPrograms;
use crate::display::summary;
use crate::environment::Environment;
use crate::exit::{NoInput, UsageError};
use crate::shared_store::{self, SharedCampaign};
use crate::{changed_code, console, date, job_limit};

/// Percentage of cases with random options if `--options` is given without a percentage.
const DEFAULT_OPTIONS_PERCENT: u8 = 30;

/// The name of the campaign file that is found without being named.
const PROJECT_CAMPAIGN_FILE: &str = "gainsay.toml";
/// The value of `--questions` that turns them off.
const NO_QUESTION: &str = "none";

/// Default chain length if every strategy preserves satisfiability (HornFuzz, section 4.1).
const ANSWER_KEEPING_CHAIN_LENGTH: u64 = 100;

/// A new campaign.
pub fn fresh(args: &FuzzArgs, environment: &Environment) -> anyhow::Result<CampaignRun> {
    let found = if args.campaign.is_none() { find_campaign_file(&std::env::current_dir()?) } else { None };
    if let Some(file) = &found {
        console::progress(format_args!("gainsay: using {}", summary::shell_quoted(file)));
    }
    let (mut plan, given) = match args.campaign.as_ref().or(found.as_ref()) {
        Some(file) => from_file(file, environment)?,
        None => (CampaignPlan::default(), GivenKeys::default()),
    };
    override_by_flags(&mut plan, args);
    if args.jobs.is_none() && !given.jobs {
        plan.jobs = default_jobs(plan.panel().len());
    }
    if args.rng_seed.is_none() && !given.rng_seed {
        refuse_drawn_seed(&plan)?;
        plan.rng_seed = random_seed();
    }
    set_defaults(&mut plan, args.chain.is_some() || given.chain);
    plan.check(&environment.profiles).map_err(|error| UsageError(error.to_string()))?;
    if let Some(store) = &args.store {
        let address = shared_store::address(store, environment)?;
        return Ok(CampaignRun::shared(plan, SharedCampaign { address, lease: LEASE_TIME }));
    }
    let folder = args.out.clone().unwrap_or_else(|| unused_folder_in(Path::new(""), "gainsay-campaign"));
    check_folder(&folder, &plan.seeds)?;
    Ok(CampaignRun::new(plan, folder))
}

/// The plan in a campaign file for shards on many machines: everything is set that would be chosen anew on each of them.
pub fn for_fleet(file: &Path, environment: &Environment) -> anyhow::Result<CampaignPlan> {
    let (mut plan, given) = from_file(file, environment)?;
    if !given.rng_seed {
        plan.rng_seed = random_seed();
    }
    set_defaults(&mut plan, given.chain);
    Ok(plan)
}

/// Sets the strategies, and the length of chains that depends on them, unless they are given.
fn set_defaults(plan: &mut CampaignPlan, is_chain_given: bool) {
    changed_code::set_schedule(plan);
    if plan.strategies.is_empty() {
        plan.strategies = default_strategies().map(|(name, _)| name.to_owned()).collect();
        if plan.strategy_weights.is_empty() {
            let weights = default_strategies().filter(|(_, weight)| *weight != 1);
            plan.strategy_weights = weights.map(|(name, weight)| (name.to_owned(), weight)).collect();
        }
    }
    if !is_chain_given && plan.schedule.agent().is_none() && keep_answers(&plan.strategies) {
        plan.chain = ANSWER_KEEPING_CHAIN_LENGTH;
    }
}

/// The campaign file of a project: `gainsay.toml` in a folder or above it.
fn find_campaign_file(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(PROJECT_CAMPAIGN_FILE)).find(|file| file.is_file())
}

/// The campaign to resume, if the user asked for that.
pub fn resumed(args: &FuzzArgs, environment: &Environment) -> anyhow::Result<Option<CampaignRun>> {
    let folder = match (&args.campaign, &args.out) {
        _ if !args.resume => return Ok(None),
        (None, Some(folder)) => folder.clone(),
        (Some(folder), None) if folder.is_dir() => folder.clone(),
        (None, None) => return Err(usage("--resume needs the folder of the campaign: add --out DIR")),
        (Some(_), _) => {
            return Err(usage("--resume uses the stored plan of the campaign; remove the campaign file"));
        }
    };
    refuse_changes(args)?;
    let store = Sqlite::resume(&folder)?;
    let text = store.plan()?;
    let mut plan = CampaignPlan::read_recorded(&text).map_err(|error| UsageError(error.to_string()))?;
    plan.budget.seconds = args.time.or(plan.budget.seconds);
    plan.budget.cases = args.cases.or(plan.budget.cases);
    plan.budget.findings = args.findings.or(plan.budget.findings);
    plan.jobs = args.jobs.unwrap_or(plan.jobs);
    plan.known_bugs = args.known.clone().or(plan.known_bugs);
    plan.check(&environment.profiles).map_err(|error| UsageError(error.to_string()))?;
    let changed = match args.accept_changed_solvers {
        true => ChangedPrograms::Accepted,
        false => ChangedPrograms::Refused,
    };
    Ok(Some(CampaignRun::resumed(plan, folder, store).with_changed_programs(changed)))
}

/// Fails if the folder of a new campaign is a file, or one of these folders of seeds.
pub fn check_folder(folder: &Path, seeds: &[PathBuf]) -> Result<(), UsageError> {
    let shown = folder.display();
    let is_no_folder = |path: &&Path| path.exists() && !path.is_dir();
    if let Some(file) = folder.ancestors().find(is_no_folder) {
        return Err(UsageError(format!("--out {shown}: {} is a file; name a folder", file.display())));
    }
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if seeds.iter().any(|seeds| real(seeds).is_some() && real(seeds) == real(folder)) {
        return Err(UsageError(format!(
            "--out {shown} is a folder of seeds, and findings would be mixed with them; name another folder"
        )));
    }
    Ok(())
}

/// Returns a path in `parent` that does not exist yet.
pub fn unused_folder_in(parent: &Path, name: &str) -> PathBuf {
    let stamp = date::stamp(SystemTime::now());
    let first = format!("{name}-{stamp}");
    let names = std::iter::once(first.clone()).chain((2..).map(|number: u32| format!("{first}-{number}")));
    let mut paths = names.map(|name| parent.join(name));
    paths.find(|path| !path.exists()).unwrap_or_else(|| parent.join(first))
}

/// One job per core, as far as they fit into the limit of open files.
pub fn default_jobs(solvers: usize) -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(job_limit::max_jobs(solvers))
}

/// A random seed, short enough to type.
pub fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

fn usage(message: impl Into<String>) -> anyhow::Error {
    UsageError(message.into()).into()
}

/// Returns true if all strategies preserve the answer of a script, so that traces lead the campaign.
fn keep_answers(strategies: &[String]) -> bool {
    strategies.iter().all(|name| strategy::find(name).is_some_and(Strategy::keeps_answer))
}

/// Which keys without a fixed default a campaign file sets.
#[derive(Default)]
struct GivenKeys {
    jobs: bool,
    rng_seed: bool,
    chain: bool,
}

/// Reads a plan; its paths are relative to the file's folder.
fn from_file(file: &Path, environment: &Environment) -> anyhow::Result<(CampaignPlan, GivenKeys)> {
    if file.is_dir() {
        let file = file.display();
        return Err(usage(format!(
            "{file} is a folder; name a campaign file, or resume with `--resume --out {file}`"
        )));
    }
    if file.to_string_lossy().ends_with(".smt2") || file.to_string_lossy().ends_with(".smt2.gz") {
        let file = file.display();
        return Err(usage(format!("{file} is a script, not a campaign file; name it with --seeds {file}")));
    }
    let text = bounded::read_text(file, bounded::MAX_SETTINGS_BYTES)
        .map_err(|source| NoInput { path: file.to_owned(), source })?;
    let name = file.display().to_string();
    let mut plan = CampaignPlan::read(&name, &text).map_err(|error| UsageError(error.to_string()))?;
    plan.check_values(&environment.profiles).map_err(|error| UsageError(format!("{name}: {error}")))?;
    // The hashes are those of the campaign that the file is from; a new campaign has its own.
    plan.programs.clear();
    let folder = file.parent().unwrap_or(Path::new(""));
    plan.paths().for_each(|path| *path = folder.join(&*path));
    let gives = |key| CampaignPlan::gives(&text, key);
    let given = GivenKeys { jobs: gives("jobs"), rng_seed: gives("rng_seed"), chain: gives("chain") };
    Ok((plan, given))
}

fn override_by_flags(plan: &mut CampaignPlan, args: &FuzzArgs) {
    replace(&mut plan.solvers, &args.solvers);
    replace(&mut plan.references, &args.references);
    replace(&mut plan.strategies, &args.strategies);
    replace(&mut plan.seeds, &args.seeds);
    replace(&mut plan.operators.signatures, &args.files.signatures);
    replace(&mut plan.operators.classes, &args.files.classes);
    replace(&mut plan.fusion.functions, &args.files.functions);
    plan.bounds.seed_bytes = args.seed_bytes.unwrap_or(plan.bounds.seed_bytes);
    plan.shard = args.shard.or(plan.shard);
    plan.jobs = args.jobs.unwrap_or(plan.jobs);
    plan.schedule = args.schedule.map_or(plan.schedule, |schedule| schedule.0);
    plan.coverage = args.coverage.or(plan.coverage);
    plan.queue |= args.queue;
    if let Some(change) = &args.changed {
        changed_code::plan_change(plan, change, args.repository.as_deref());
    }
    plan.rng_seed = args.rng_seed.unwrap_or(plan.rng_seed);
    plan.chain = args.chain.unwrap_or(plan.chain);
    plan.budget.seconds = args.time.or(plan.budget.seconds);
    plan.budget.cases = args.cases.or(plan.budget.cases);
    plan.budget.findings = args.findings.or(plan.budget.findings);
    plan.limits.seconds = args.timeout.unwrap_or(plan.limits.seconds);
    plan.limits.memory = args.memory.unwrap_or(plan.limits.memory);
    plan.known_bugs = args.known.clone().or(plan.known_bugs.take());
    plan.values.way = args.values.unwrap_or(plan.values.way);
    plan.scope = args.scope.unwrap_or(plan.scope);
    plan.logics = args.logics.unwrap_or(plan.logics);
    plan.values.helper = args.helper.clone().or(plan.values.helper.take());
    plan.horn.order = args.order.unwrap_or(plan.horn.order);
    plan.horn.weights = args.weights.map_or(plan.horn.weights, |weights| weights.0);
    plan.horn.parameters = args.parameters.unwrap_or(plan.horn.parameters);
    if args.questions.iter().any(|name| name == NO_QUESTION) {
        plan.questions.percent = 0;
    } else {
        replace(&mut plan.questions.names, &args.questions);
    }
    plan.questions.percent = args.question_share.unwrap_or(plan.questions.percent);
    if let Some(options) = args.options {
        plan.options.tier = options.0;
        if plan.options.percent == 0 && plan.options.tier.is_some() {
            plan.options.percent = DEFAULT_OPTIONS_PERCENT;
        }
    }
}

fn replace<T: Clone>(planned: &mut Vec<T>, given: &[T]) {
    if !given.is_empty() {
        *planned = given.to_vec();
    }
}

/// The shards of a campaign make its cases only if all of them have the same random seed.
fn refuse_drawn_seed(plan: &CampaignPlan) -> anyhow::Result<()> {
    match plan.shard {
        None => Ok(()),
        Some(shard) => Err(usage(format!(
            "shard {shard} needs the random seed that all shards have: add --rng-seed N, or `rng_seed = N` to the campaign file"
        ))),
    }
}

/// Rejects flags that would change the cases of a resumed campaign.
fn refuse_changes(args: &FuzzArgs) -> anyhow::Result<()> {
    let flags = [
        ("--solver", !args.solvers.is_empty()),
        ("--reference", !args.references.is_empty()),
        ("--strategy", !args.strategies.is_empty()),
        ("--schedule", args.schedule.is_some()),
        ("--coverage", args.coverage.is_some()),
        ("--changed", args.changed.is_some()),
        ("--queue", args.queue),
        ("--seeds", !args.seeds.is_empty()),
        ("--rng-seed", args.rng_seed.is_some()),
        ("--chain", args.chain.is_some()),
        ("--shard", args.shard.is_some()),
        ("--signatures", !args.files.signatures.is_empty()),
        ("--classes", !args.files.classes.is_empty()),
        ("--functions", !args.files.functions.is_empty()),
        ("--seed-bytes", args.seed_bytes.is_some()),
        ("--values", args.values.is_some()),
        ("--scope", args.scope.is_some()),
        ("--logics", args.logics.is_some()),
        ("--helper", args.helper.is_some()),
        ("--questions", !args.questions.is_empty()),
        ("--question-share", args.question_share.is_some()),
        ("--timeout", args.timeout.is_some()),
        ("--memory", args.memory.is_some()),
        ("--options", args.options.is_some()),
        ("--order", args.order.is_some()),
        ("--weights", args.weights.is_some()),
        ("--parameters", args.parameters.is_some()),
    ];
    match flags.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => Err(usage(format!(
            "a resumed campaign keeps its plan; remove {flag}, or start a new campaign without --resume \
             (--time, --cases, --findings, --jobs and --known may change)"
        ))),
    }
}
