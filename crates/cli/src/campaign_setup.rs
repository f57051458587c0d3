//! Turns a plan into a campaign that is ready to run: reads its files, finds or installs its solvers, builds its recipe.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gainsay_engine::bounded;
use gainsay_engine::campaign::advice::{AdviceSolver, AdviceSource, WantedAdvice};
use gainsay_engine::campaign::known_bugs::KnownBugs;
use gainsay_engine::campaign::plan::{CampaignPlan, FusionPlan};
use gainsay_engine::campaign::question_draw::QuestionDraw;
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::campaign::{BATCH_INTERVAL, Campaign};
use gainsay_engine::question::tactic::TacticQuestion;
use gainsay_engine::question::tactic::installed::InstalledTactics;
use gainsay_engine::question::{self, Question};
use gainsay_engine::seeds::Seeds;
use gainsay_engine::session::panel::PanelSolver;
use gainsay_engine::solver::name::{Origin, SolverName};
use gainsay_engine::solver::profile::Profile;
use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::solver::program_hash::local_program_hash;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Launcher, Runner};
use gainsay_engine::solver::version::Version;
use gainsay_engine::strategy::fusion::function::FusionFunctions;
use gainsay_engine::strategy::generate::FloatFormats;
use gainsay_engine::strategy::{self, CaseBounds, FusionSettings, StrategySettings, operators};
use gainsay_smt::Signature;
use indicatif::ProgressBar;

use crate::console;
use crate::environment::Environment;
use crate::exit::{NoInput, NoSolver, UsageError};
use crate::{changed_code, job_limit, known_bugs, solver_lookup};

/// What happens if the program of a solver differs from the one that the plan names by its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedPrograms {
    /// It is an error: the results of two programs would be mixed.
    Refused,
    /// The user accepts it; a warning says so.
    Accepted,
}

/// Where the tactics of the installed solvers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstalledHelp {
    /// The campaign begins: from the help of the solvers, unless the plan has them.
    Read,
    /// The campaign began before: from its plan, which has none if an older gainsay wrote it.
    Recorded,
}

/// Prepares all files and solvers of a plan; replaces its solver names by exact versions and its paths by absolute ones.
pub fn prepare(
    plan: &mut CampaignPlan,
    folder: &Path,
    environment: &Environment,
    changed: ChangedPrograms,
    help: InstalledHelp,
) -> anyhow::Result<Campaign> {
    let known = match &plan.known_bugs {
        Some(path) => known_bugs::read(path)?,
        None => String::new(),
    };
    // Findings that were marked on the page of the campaign.
    let marked = known_bugs::read(&folder.join(known_bugs::MARKS_FILE)).unwrap_or_default();
    let known = KnownBugs::read(&format!("{known}\n{marked}"));
    for line in known.broad() {
        console::err(format_args!(
            "gainsay: the known bug `{line}` hides every finding of its kind in that logic; `gainsay known add` names single bugs"
        ));
    }
    for path in plan.paths() {
        *path = std::path::absolute(&*path)?;
    }
    job_limit::check(plan.jobs, plan.panel().len())?;
    // Report errors in files before downloading solvers.
    let (signature, _) = recipe(plan, &environment.profiles)?;
    let seeds = seeds(plan, &signature)?;
    let changed_solver = changed_code::changed_solver(plan)?;
    let solvers = solver_lookup::find_or_install(environment, &plan.panel())?;
    solver_lookup::check_distinct(&solvers)?;
    plan.rename_panel(solvers.iter().map(|solver| solver.name.to_string()).collect());
    let changed_code = match changed_solver {
        Some(number) => changed_code::changed_code(plan, environment, (number, &solvers[number]))?,
        None => None,
    };
    let programs = program_hashes(&solvers)?;
    check_unchanged(plan, &programs, changed)?;
    plan.programs = programs;
    let launcher = environment.launcher()?;
    let panel =
        solvers.iter().map(|solver| PanelSolver::open(solver, &launcher)).collect::<Result<Vec<_>, _>>()?;
    if plan.questions.tactics.is_none() && help == InstalledHelp::Read {
        plan.questions.tactics = Some(tactics(plan, &solvers, &launcher)?);
    }
    let (signature, recipe) = recipe(plan, &environment.profiles)?;
    let wanted = WantedAdvice { values: recipe.takes_values(), phrases: recipe.keeps_answers() };
    let advice_source = match wanted.values || wanted.phrases {
        true => Some(open_adviser(plan, wanted, environment, (&launcher, &panel))?),
        false => None,
    };
    Ok(Campaign {
        recipe,
        advice_source,
        changed: changed_code,
        plan: plan.clone(),
        folder: folder.to_owned(),
        seeds,
        signature,
        panel,
        launcher,
        known,
        pause: BATCH_INTERVAL,
        memory: own_memory_limit(),
        rescue_folders: rescue_folders(folder),
    })
}

/// The hashes of the programs that gainsay did not install, by the name of their solver.
pub fn program_hashes(solvers: &[Solver]) -> anyhow::Result<BTreeMap<String, String>> {
    let mut hashes = BTreeMap::new();
    for solver in solvers {
        let name = solver.name.to_string();
        let hash = local_program_hash(solver)
            .map_err(|error| NoSolver { name: name.clone(), said: error.to_string() })?;
        hashes.extend(hash.map(|hash| (name, hash)));
    }
    Ok(hashes)
}

/// The solvers whose programs are not those that the plan names by their hashes.
pub fn changed_programs<'a>(plan: &'a CampaignPlan, programs: &BTreeMap<String, String>) -> Vec<&'a str> {
    let differs = |(name, hash): &(&String, &String)| programs.get(*name).is_some_and(|now| now != *hash);
    plan.programs.iter().filter(differs).map(|(name, _)| name.as_str()).collect()
}

fn check_unchanged(
    plan: &CampaignPlan,
    programs: &BTreeMap<String, String>,
    changed: ChangedPrograms,
) -> Result<(), UsageError> {
    let names = changed_programs(plan, programs);
    if names.is_empty() {
        return Ok(());
    }
    let line = format!("{}: the program has changed since the campaign began", names.join(", "));
    match changed {
        ChangedPrograms::Refused => Err(UsageError(format!(
            "{line}, and its results would be mixed with those of the old one; start a new campaign with another --out, or \
             add --accept-changed-solvers to go on"
        ))),
        ChangedPrograms::Accepted => {
            console::err(format_args!("gainsay: warning: {line}; the results of both are mixed"));
            Ok(())
        }
    }
}

/// Bytes that gainsay itself may use: half of the memory of the machine or of its control group, so that it stops before the kernel
/// kills it.
fn own_memory_limit() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let machine = read("/proc/meminfo")
        .split_once("MemTotal:")
        .and_then(|(_, rest)| rest.split_whitespace().next()?.parse::<u64>().ok())
        .map(|kilobytes| kilobytes << 10);
    let groups = read("/proc/self/cgroup");
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let group =
        group.and_then(|group| read(&format!("/sys/fs/cgroup{group}/memory.max")).trim().parse().ok());
    [machine, group].into_iter().flatten().min().map(|bytes| bytes / 2)
}

/// Where findings go if the folder of the campaign is gone: beside it, in the current folder, or among the temporary files.
fn rescue_folders(folder: &Path) -> Vec<PathBuf> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned() + "-rescued";
    let beside = folder.parent().map(|parent| parent.join(&name));
    beside.into_iter().chain([PathBuf::from(&name), std::env::temp_dir().join(&name)]).collect()
}

/// Chooses the solver that proposes values for constants: the plan's helper, or the newest solver of the campaign with an
/// interactive session. Stores its name in the plan.
pub fn open_adviser(
    plan: &mut CampaignPlan,
    wanted: WantedAdvice,
    environment: &Environment,
    (launcher, panel): (&Launcher, &[PanelSolver]),
) -> anyhow::Result<AdviceSource> {
    let named = match &plan.values.helper {
        Some(name) => solver_lookup::find_or_install(environment, std::slice::from_ref(name))?.pop(),
        None => None,
    };
    let can_talk = |member: &&PanelSolver| {
        member.solver.profile.session.as_ref().is_some_and(|session| !session.library_only)
    };
    let newest = |member: &&PanelSolver| (can_talk(member), member.identity.version.clone());
    let member = match (named, panel.iter().max_by_key(newest)) {
        (Some(solver), _) => PanelSolver::open(&solver, launcher)?,
        (None, Some(member)) => member.clone(),
        (None, None) => {
            return Err(UsageError(
                "value mutation needs a solver that proposes values: add --helper SOLVER".to_owned(),
            )
            .into());
        }
    };
    plan.values.helper = Some(member.identity.name.clone());
    let limits = Limits {
        wall: Duration::from_secs_f64(plan.values.seconds),
        grace: Duration::ZERO,
        memory: Some(plan.limits.memory.saturating_mul(1 << 20)),
        ..Limits::default()
    };
    let adviser = AdviceSolver { solver: member.solver, version: member.identity.version, limits };
    Ok(AdviceSource::new(adviser, plan.values.asks, plan.values.way, wanted, plan.rng_seed))
}

/// Builds the recipe, which determines all scripts of a campaign, and the signature to parse them with.
pub fn recipe(plan: &CampaignPlan, profiles: &Profiles) -> anyhow::Result<(Arc<Signature>, Recipe)> {
    let names: Vec<SolverName> = plan.panel().iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    let mut solvers = Vec::new();
    for name in &names {
        let version = match &name.origin {
            Origin::Managed(version) => Some(version),
            _ => None,
        };
        solvers.push((profiles.get(&name.profile)?.as_ref(), version));
    }
    let (signature, operators) =
        operators::load(&plan.operators.signatures, &plan.operators.classes, &solvers)?;
    let bounds = CaseBounds { bytes: plan.bounds.case_bytes, depth: plan.bounds.depth };
    let strategies = plan.strategies.iter().filter_map(|name| strategy::find(name)).collect();
    let fusion = fusion_kit(&plan.fusion, &signature, &solvers)?;
    let settings = StrategySettings {
        bounds,
        operators,
        fusion,
        values: plan.values.way,
        scope: plan.scope,
        formats: FloatFormats::of_profiles(solvers.iter().map(|(profile, _)| *profile)),
        enumerations: Default::default(),
    };
    let recipe = Recipe::new(plan.rng_seed, plan.chain, strategies, settings)
        .weighted(&plan.strategy_weights)
        .scheduled(plan.schedule)
        .in_shard(plan.shard.unwrap_or_default())
        .under_logics(plan.logics)
        .asking(questions(plan, &solvers));
    Ok((signature, recipe))
}

/// The questions of a plan that at least one of its solvers can be asked.
fn questions(plan: &CampaignPlan, solvers: &[(&Profile, Option<&Version>)]) -> QuestionDraw {
    let is_wanted =
        |name: &str| plan.questions.names.is_empty() || plan.questions.names.iter().any(|one| one == name);
    let can_be_asked = |question: &&&'static dyn Question| {
        is_wanted(question.name())
            && solvers.iter().any(|(profile, _)| question::is_asked_of(**question, profile))
    };
    let questions = question::ALL.iter().filter(can_be_asked).copied().collect();
    let tactics = InstalledTactics::of_rows(plan.questions.tactics.as_deref().unwrap_or_default());
    QuestionDraw { questions, percent: plan.questions.percent, tactics }
}

/// The tactics and parameters of the solvers under test that gainsay's tables lack, as rows, if the campaign asks about tactics.
fn tactics(plan: &CampaignPlan, solvers: &[Solver], launcher: &Launcher) -> anyhow::Result<Vec<String>> {
    let names = &plan.questions.names;
    let is_asked = names.is_empty() || names.iter().any(|name| name == TacticQuestion.name());
    let mut rows = Vec::new();
    for solver in solvers.iter().filter(|_| is_asked && plan.questions.percent > 0) {
        let Some(help) = &solver.profile.tactic_help else { continue };
        let query = Query { script: help, limits: Limits::default(), ask: Ask::OWN_SCRIPT };
        let run = Runner::open(solver, runner::plain(), launcher)?.run(&query)?;
        let installed = InstalledTactics::of_help(&String::from_utf8_lossy(&run.output), &solver.profile);
        rows.extend(installed.rows().into_iter().filter(|row| !rows.contains(row)).collect::<Vec<_>>());
    }
    Ok(rows)
}

/// The solvers whose operators are used if the user names none.
const DEFAULT_FUSION_SOLVERS: [&str; 2] = ["z3", "cvc5"];

/// Loads the fusion functions of a plan, or the built-in ones that all solvers support.
pub fn fusion_kit(
    plan: &FusionPlan,
    signature: &Signature,
    solvers: &[(&Profile, Option<&Version>)],
) -> anyhow::Result<FusionSettings> {
    let built_in = Profiles::built_in();
    let large = DEFAULT_FUSION_SOLVERS
        .iter()
        .filter_map(|name| built_in.get(name).ok())
        .map(|profile| (&**profile, None));
    let large: Vec<_> = large.collect();
    let mut settings = FusionSettings::known_to(signature, if solvers.is_empty() { &large } else { solvers });
    if !plan.functions.is_empty() {
        let mut list = Vec::new();
        for path in &plan.functions {
            let functions = FusionFunctions::read(&read(path)?)
                .map_err(|error| UsageError(format!("{}: {error}", path.display())))?;
            list.extend(functions.list().iter().cloned());
        }
        settings = FusionSettings { functions: Arc::new(FusionFunctions::new(list)), sizes: vec![1] };
    }
    if !plan.sizes.is_empty() {
        settings.sizes.clone_from(&plan.sizes);
    }
    Ok(settings)
}

fn read(path: &Path) -> anyhow::Result<String> {
    bounded::read_text(path, bounded::MAX_SETTINGS_BYTES)
        .map_err(|source| NoInput { path: path.to_owned(), source }.into())
}

fn seeds(plan: &CampaignPlan, signature: &Arc<Signature>) -> anyhow::Result<Seeds> {
    let bar = ProgressBar::new(0).with_prefix("reading seeds");
    let seeds = Seeds::load(&plan.seeds, plan.bounds.seed_bytes, signature, &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    Ok(seeds?)
}
