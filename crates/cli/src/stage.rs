//! Plays a campaign: gets everything ready, shows it while it runs, and says at the end what came of it.
//!
//! Whatever can be wrong with the plan is found out before the folder is made and before the screen is drawn.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use gainsay_engine::bounded;
use gainsay_engine::campaign::advice::Adviser;
use gainsay_engine::campaign::advice::{Counsel, Wanted};
use gainsay_engine::campaign::known::KnownBugs;
use gainsay_engine::campaign::plan::{FusionPlan, Plan};
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::campaign::span;
use gainsay_engine::campaign::team::Member;
use gainsay_engine::campaign::{Campaign, PAUSE};
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::seeds::Seeds;
use gainsay_engine::solver::name::{Origin, SolverName};
use gainsay_engine::solver::profile::Profile;
use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::solver::runner::Setting;
use gainsay_engine::solver::version::Version;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{Store, StoreError};
use gainsay_engine::strategy::fusion::function::Functions;
use gainsay_engine::strategy::{self, Bounds, FusionKit, Kit, operators};
use gainsay_engine::tally::Tally;
use gainsay_smt::Signature;
use indicatif::ProgressBar;

use crate::environment::Environment;
use crate::exit::{self, NoInput, Usage};
use crate::say;
use crate::show::board::Board;
use crate::show::json::{self, Json};
use crate::show::lines::Lines;
use crate::show::screen::{self, Screen};
use crate::show::{self, summary, words};
use crate::stop::Switch;
use crate::supply;
use crate::triage::beside::Beside;

/// How a campaign is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// A screen on a terminal, lines elsewhere.
    Best,
    /// Lines.
    Lines,
    /// JSON.
    Json,
}

/// A campaign to be played.
pub struct Stage {
    plan: Plan,
    folder: PathBuf,
    store: Option<Sqlite>,
    triage: Triage,
}

/// Whether findings are triaged as they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Triage {
    /// They are.
    Beside,
    /// They are left to `gainsay triage`.
    Later,
}

/// What came of a campaign.
pub struct Played {
    /// How it stood at the end.
    pub board: Board,
    /// Why it ended.
    pub why: Stop,
}

impl Stage {
    /// A new campaign.
    pub fn new(plan: Plan, folder: PathBuf) -> Self {
        Stage { plan, folder, store: None, triage: Triage::Later }
    }

    /// One that goes on.
    pub fn resumed(plan: Plan, folder: PathBuf, store: Sqlite) -> Self {
        Stage { plan, folder, store: Some(store), triage: Triage::Later }
    }

    /// The same with triage beside it.
    #[must_use]
    pub fn with_triage(self) -> Self {
        Stage { triage: Triage::Beside, ..self }
    }

    /// Runs it to its end, and shows it meanwhile.
    pub fn play(mut self, environment: &Environment, show: Show) -> anyhow::Result<Played> {
        let stop = Switch::on_signals()?;
        if self.store.is_none() && self.folder.join("store.sqlite").exists() {
            return Err(StoreError::Exists(self.folder).into());
        }
        let campaign = ready(&mut self.plan, &self.folder, environment)?;
        let mut store = match self.store {
            Some(store) => store,
            None => Sqlite::create(&self.folder, &self.plan.to_toml())?,
        };
        if show != Show::Json {
            say::out(opening(&campaign));
        }
        let mut board = Board::new(&self.plan, &store.findings()?);
        let mut shown = shower(show, &board, &stop)?;
        let beside = Beside::default();
        let mut told = (0, 0);
        let mut listener = |event: &Event, tally: &Tally| {
            if told != beside.grouped() {
                told = beside.grouped();
                let grouped = Event::Grouped { triggers: told.0, groups: told.1 };
                board.note(&grouped, tally.seconds);
                shown.event(&grouped, tally);
            }
            board.note(event, tally.seconds);
            if matches!(event, Event::Opened { .. } | Event::Closed { .. }) {
                board.count(tally);
            }
            shown.event(event, tally);
        };
        let ended = std::thread::scope(|scope| {
            if self.triage == Triage::Beside {
                scope.spawn(|| beside.run(&self.folder, environment));
            }
            let ended = campaign.run(&mut store, &mut listener, stop.flag());
            beside.stop();
            ended
        });
        shown.close();
        if let Some(why) = beside.trouble() {
            let folder = self.folder.display();
            say::err(format_args!(
                "gainsay: triage ended early: {why}; `gainsay triage {folder}` goes on with it"
            ));
        }
        Ok(Played { board, why: ended? })
    }
}

/// Plays a campaign and says what came of it.
pub fn play(stage: Stage, environment: &Environment, show: Show) -> anyhow::Result<ExitCode> {
    let played = stage.play(environment, show)?;
    if show == Show::Json {
        say::out(json::sums(&played.board));
    } else {
        summary::lines(&played.board).iter().for_each(say::out);
    }
    Ok(played.exit())
}

impl Played {
    /// The exit code; what ended the campaign before its time is said on standard error.
    pub fn exit(&self) -> ExitCode {
        let solvers = self.board.solvers.join(", ");
        let (line, code) = match &self.why {
            Stop::Store(why) => (Some(why.clone()), exit::DISK),
            Stop::NoSolver => {
                (Some(format!("no solver can be run any more: {}", lost(&self.board))), exit::SOLVER)
            }
            Stop::NoSeed => (
                Some(format!("there is no seed that {solvers} can do: {}", hopeless(&self.board))),
                exit::USAGE,
            ),
            _ if self.board.fresh().next().is_some() => (None, exit::FINDINGS),
            // It went on without it, and yet whoever looks at the code alone must hear of it.
            _ if !self.board.lost.is_empty() => {
                (Some(format!("a solver could not be run any more: {}", lost(&self.board))), exit::SOLVER)
            }
            // Nothing found in no case is not "nothing found".
            _ => match summary::no_case(&self.board) {
                Some(line) => (Some(line), exit::NO_CASE),
                None => (None, 0),
            },
        };
        line.iter().for_each(|line| say::err(format_args!("gainsay: {line}")));
        ExitCode::from(code)
    }
}

fn lost(board: &Board) -> String {
    board.lost.iter().map(|(solver, why)| format!("{solver}: {why}")).collect::<Vec<_>>().join("; ")
}

/// Why no solver can do any seed.
fn hopeless(board: &Board) -> String {
    let solvers = board.tally.solvers.iter().map(|(name, tally)| {
        let reasons =
            [words::top(&tally.reasons, 2), words::top(&tally.spared, 2), words::top(&tally.troubles, 2)];
        format!("{name}: {}", reasons.into_iter().find(|text| !text.is_empty()).unwrap_or_default())
    });
    solvers.collect::<Vec<_>>().join("; ")
}

/// Gets everything ready that a plan names; the plan then names the very solvers and files.
fn ready(plan: &mut Plan, folder: &Path, environment: &Environment) -> anyhow::Result<Campaign> {
    let known = match &plan.known_bugs {
        Some(path) => read(path)?,
        None => String::new(),
    };
    for path in plan.paths() {
        *path = std::path::absolute(&*path)?;
    }
    // Before solvers are fetched: what is wrong with files is said at once.
    let (signature, _) = recipe(plan, &environment.profiles)?;
    let seeds = seeds(plan, &signature)?;
    let solvers = supply::solvers(environment, &plan.solvers)?;
    plan.solvers = solvers.iter().map(|solver| solver.name.to_string()).collect();
    // `@latest` may be a release that the plan names, too.
    plan.check(&environment.profiles).map_err(|error| Usage(error.to_string()))?;
    let (signature, recipe) = recipe(plan, &environment.profiles)?;
    let setting = environment.setting()?;
    let team =
        solvers.iter().map(|solver| Member::invite(solver, &setting)).collect::<Result<Vec<_>, _>>()?;
    let wanted = Wanted { values: recipe.takes_values(), phrases: recipe.keeps_answers() };
    let counsel = match wanted.values || wanted.phrases {
        true => Some(counsel(plan, wanted, environment, (&setting, &team))?),
        false => None,
    };
    Ok(Campaign {
        recipe,
        counsel,
        plan: plan.clone(),
        folder: folder.to_owned(),
        seeds,
        signature,
        team,
        setting,
        known: KnownBugs::read(&known),
        pause: PAUSE,
    })
}

/// Who is asked for values of constants: the solver that a plan names, or the newest of the campaign's that can be talked to.
/// The plan then names it.
pub fn counsel(
    plan: &mut Plan,
    wanted: Wanted,
    environment: &Environment,
    (setting, team): (&Setting, &[Member]),
) -> anyhow::Result<Counsel> {
    let named = match &plan.values.helper {
        Some(name) => supply::solvers(environment, std::slice::from_ref(name))?.pop(),
        None => None,
    };
    let can_talk = |member: &&Member| {
        member.solver.profile.session.as_ref().is_some_and(|session| !session.library_only)
    };
    let newest = |member: &&Member| (can_talk(member), member.subject.version.clone());
    let member = match (named, team.iter().max_by_key(newest)) {
        (Some(solver), _) => Member::invite(&solver, setting)?,
        (None, Some(member)) => member.clone(),
        (None, None) => {
            return Err(Usage("value mutation needs a solver to ask: --helper SOLVER".to_owned()).into());
        }
    };
    plan.values.helper = Some(member.subject.name.clone());
    let limits = Limits {
        wall: Duration::from_secs_f64(plan.values.seconds),
        grace: Duration::ZERO,
        memory: Some(plan.limits.memory.saturating_mul(1 << 20)),
        ..Limits::default()
    };
    let adviser = Adviser { solver: member.solver, version: member.subject.version, limits };
    Ok(Counsel::new(adviser, plan.values.asks, plan.values.way, wanted, plan.rng_seed))
}

/// What decides the scripts of a campaign, and the language that they are read with; the plan and the profiles say all.
pub fn recipe(plan: &Plan, profiles: &Profiles) -> anyhow::Result<(Arc<Signature>, Recipe)> {
    let names: Vec<SolverName> = plan.solvers.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
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
    let bounds = Bounds { bytes: plan.bounds.case_bytes, depth: plan.bounds.depth };
    let strategies = plan.strategies.iter().filter_map(|name| strategy::find(name)).collect();
    let fusion = fusion_kit(&plan.fusion, &signature, &solvers)?;
    let kit = Kit { bounds, operators, fusion, values: plan.values.way };
    let recipe = Recipe::new(plan.rng_seed, plan.chain, strategies, kit).scheduled(plan.schedule);
    Ok((signature, recipe))
}

/// The solvers that scripts are made for if none are named.
const LARGE: [&str; 2] = ["z3", "cvc5"];

/// The functions that variables are fused through, as a plan names them, or those of ours that all solvers know.
pub fn fusion_kit(
    plan: &FusionPlan,
    signature: &Signature,
    solvers: &[(&Profile, Option<&Version>)],
) -> anyhow::Result<FusionKit> {
    let built_in = Profiles::built_in();
    let large = LARGE.iter().filter_map(|name| built_in.get(name).ok()).map(|profile| (&**profile, None));
    let large: Vec<_> = large.collect();
    let mut kit = FusionKit::known_to(signature, if solvers.is_empty() { &large } else { solvers });
    if !plan.functions.is_empty() {
        let mut list = Vec::new();
        for path in &plan.functions {
            let functions = Functions::read(&read(path)?)
                .map_err(|error| Usage(format!("{}: {error}", path.display())))?;
            list.extend(functions.list().iter().cloned());
        }
        kit = FusionKit { functions: Arc::new(Functions::new(list)), sizes: vec![1] };
    }
    if !plan.sizes.is_empty() {
        kit.sizes.clone_from(&plan.sizes);
    }
    Ok(kit)
}

fn read(path: &Path) -> anyhow::Result<String> {
    bounded::read_text(path, bounded::SETTINGS)
        .map_err(|source| NoInput { path: path.to_owned(), source }.into())
}

fn seeds(plan: &Plan, signature: &Arc<Signature>) -> anyhow::Result<Seeds> {
    let bar = ProgressBar::new(0).with_prefix("reading seeds");
    let seeds = Seeds::load(&plan.seeds, plan.bounds.seed_bytes, signature, &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    Ok(seeds?)
}

/// The first line: what is going to happen.
fn opening(campaign: &Campaign) -> String {
    let plan = &campaign.plan;
    let budget = [
        plan.budget.seconds.map(|seconds| format!("for {}", span::write(seconds))),
        plan.budget.cases.map(|cases| format!("up to {}", words::some(cases, "case"))),
        plan.budget.findings.map(|findings| format!("up to {}", words::some(findings, "finding"))),
    ];
    let budget: Vec<String> = budget.into_iter().flatten().collect();
    let led = plan.schedule.agent().map(|agent| format!(" led by {}", agent.name())).unwrap_or_default();
    format!(
        "fuzzing {} with {} by {}{led}, {}, {}; rng seed {}; records in {}",
        plan.solvers.join(", "),
        words::some(campaign.seeds.list().len() as u64, "seed"),
        plan.strategies.join(", "),
        words::some(plan.jobs as u64, "job"),
        if budget.is_empty() { "until Ctrl-C".to_owned() } else { budget.join(", ") },
        plan.rng_seed,
        summary::quoted(&campaign.folder),
    )
}

fn shower(show: Show, board: &Board, stop: &Arc<Switch>) -> anyhow::Result<Box<dyn show::Show>> {
    let out = std::io::stdout();
    Ok(match show {
        Show::Json => Box::new(Json::new(out, Arc::clone(stop))),
        Show::Best if screen::is_possible() => Box::new(Screen::open(board.clone(), Arc::clone(stop))?),
        Show::Best | Show::Lines => Box::new(Lines::new(board.clone(), out)),
    })
}
