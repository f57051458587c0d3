//! The part that `gainsay perf` and `gainsay localize` share: solvers, theories, limits, progress.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use gainsay_engine::perf::panel::{EffortUnit, PerfPanel};
use gainsay_engine::random::RandomStream;
use gainsay_engine::schedule::ArmRecord;
use gainsay_engine::session::panel::PanelSolver;
use gainsay_engine::solver::runner::Launcher;
use gainsay_engine::strategy::construct::{self, Construct};
use gainsay_engine::strategy::generate::{Generator, GeneratorSettings, KeptDeclarations};
use gainsay_smt::{Script, Signature};
use indicatif::{ProgressBar, ProgressStyle};

use crate::command::check::seconds;
use crate::command::generate::{DefaultSize, SettingsArgs};
use crate::console;
use crate::display::format;
use crate::environment::{Environment, SandboxArgs};
use crate::exit::{NoSolver, UsageError};
use crate::json::making::RankedConstructEntry;
use crate::overwrite::ForceArgs;
use crate::solver_lookup;

/// The flags of both commands.
#[derive(Debug, Args)]
#[command(
    mut_arg("assertions", |arg| arg.help(format!("Number of assertions [default: {}]", COMPARED_SIZE.assertions))),
    mut_arg("depth", |arg| arg.help(format!("Maximum depth of a term [default: {}]", COMPARED_SIZE.depth)))
)]
pub struct ComparisonArgs {
    /// The solver under test.
    #[arg(long, value_name = "SOLVER")]
    target: String,
    /// A solver to compare with; repeatable.
    #[arg(long = "reference", required = true, value_name = "SOLVER")]
    references: Vec<String>,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Maximum number of queries [default: no limit].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub queries: Option<u64>,
    /// Maximum time of all steps, without installing solvers: 90s, 10m, 2h [default: 5m without --queries].
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub time: Option<Duration>,
    /// CPU timeout per solver and script: 2, 500ms.
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = seconds)]
    timeout: Duration,
    /// Memory limit per solver run, in megabytes.
    #[arg(long, default_value_t = 2048, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    memory: u64,
    /// Discount of past rewards per new one: 1 forgets nothing, 0.99 forgets the distant past.
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = factor)]
    pub decay: f64,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub rng_seed: u64,
    /// A folder for the results [default: nothing is written].
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    /// Print one JSON object as the last line: queries, best, ranking.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Scripts of which every solver must be able to use one before the search.
const PROBE_SCRIPTS: u64 = 10;

/// The default size of scripts. Larger ones, over floats above all, are too hard for every solver, so that nothing could be
/// compared.
const COMPARED_SIZE: DefaultSize = DefaultSize { assertions: 2, depth: 3 };

/// The running solvers, a generator, and the constructs of its theories.
pub struct SolverComparison {
    /// The target, then the references.
    pub panel: Vec<PanelSolver>,
    launcher: Launcher,
    timeout: Duration,
    memory: u64,
    /// Generates scripts.
    pub generator: Generator,
    /// The constructs to put into scripts.
    pub constructs: Vec<Construct>,
}

impl SolverComparison {
    /// Starts the solvers and prepares the generator.
    pub fn open(args: &ComparisonArgs) -> anyhow::Result<SolverComparison> {
        // Report errors in the theories before installing solvers.
        let settings = GeneratorSettings {
            mix: usize::MAX,
            declarations: KeptDeclarations::All,
            ..args.settings.settings(COMPARED_SIZE)?
        };
        let environment = Environment::read()?.with_sandbox(args.sandbox);
        let launcher = environment.launcher()?;
        let names: Vec<String> = std::iter::once(&args.target).chain(&args.references).cloned().collect();
        let solvers = solver_lookup::find_or_install(&environment, &names)?;
        solver_lookup::check_distinct(&solvers)?;
        let open = |solver| PanelSolver::open(solver, &launcher);
        let panel: Vec<PanelSolver> = solvers.iter().map(open).collect::<Result<_, _>>()?;
        let known: Vec<_> =
            panel.iter().map(|member| (&*member.solver.profile, member.identity.version.as_ref())).collect();
        let signature = Signature::standard();
        let generator =
            Generator::new(&signature, settings, &known).map_err(|error| UsageError(error.to_string()))?;
        let constructs = construct::list(&generator);
        if constructs.is_empty() {
            let line = format!("the solvers have no common operators over {}", args.settings.names());
            return Err(UsageError(format!("{line}; choose other theories or a logic")).into());
        }
        Ok(SolverComparison {
            panel,
            launcher,
            timeout: args.timeout,
            memory: args.memory,
            generator,
            constructs,
        })
    }

    /// The solvers as a panel.
    pub fn panel(&self, unit: EffortUnit) -> PerfPanel<'_> {
        let memory = Some(self.memory << 20);
        PerfPanel::new(&self.panel, &self.launcher, self.timeout, memory, unit, self.generator.signature())
    }

    /// The name of a solver.
    pub fn name(&self, member: usize) -> &str {
        &self.panel[member].identity.name
    }

    /// The names of the references.
    pub fn references(&self) -> Vec<String> {
        self.panel[1..].iter().map(|member| member.identity.name.clone()).collect()
    }

    /// Runs every solver on a few scripts; a solver that can use none of them is an error. Says what the search compares.
    pub fn probe(&self, panel: &mut PerfPanel<'_>, seed: u64) -> anyhow::Result<()> {
        let count = self.constructs.len();
        console::progress(format_args!(
            "comparing {} with {}, {:.1} s of CPU per script, {count} constructs",
            self.name(0),
            self.references().join(", "),
            self.timeout.as_secs_f64()
        ));
        let stream = RandomStream::new(seed);
        let script = |number| self.generator.script(&mut stream.child("probe", number).rng());
        let scripts: Vec<Script> = (0..PROBE_SCRIPTS).filter_map(script).collect();
        let deaf = panel.calibrate(&scripts).map_err(solver_gone)?;
        let Some((_, why)) = deaf.first() else { return Ok(()) };
        let count = scripts.len();
        let line = format!("none of {count} test scripts was usable: {why}");
        Err(UsageError(format!("{line}; choose other theories, or another solver")).into())
    }

    /// The ranking for `--json`.
    pub fn ranking(&self, record: &ArmRecord) -> Vec<RankedConstructEntry> {
        let row = |rank: gainsay_engine::schedule::ArmRank| {
            let construct = self.constructs[rank.arm].name.clone();
            let gainsay_engine::schedule::ArmRank { mean, low, high, pulls, .. } = rank;
            RankedConstructEntry { construct, mean, low, high, pulls }
        };
        record.ranking().into_iter().map(row).collect()
    }

    /// Prints the solvers.
    pub fn tell_solvers(&self) {
        console::out(format_args!("target {}, references {}", self.name(0), self.references().join(", ")));
    }

    /// Prints the top of the ranking.
    pub fn tell_ranking(&self, record: &ArmRecord, what: &str) {
        const MAX_RANKS_SHOWN: usize = 10;
        let tried = record.ranking().into_iter().filter(|rank| rank.pulls > 0.0);
        let ranks: Vec<_> = tried.take(MAX_RANKS_SHOWN).collect();
        if ranks.is_empty() {
            console::out("ranking: no construct was tried");
            return;
        }
        if !record.has_success() {
            let tried = record.ranking().iter().filter(|rank| rank.pulls > 0.0).count();
            console::out(format_args!("ranking: none of {tried} tried constructs {what}"));
            return;
        }
        console::out(format_args!("ranking: probability that a construct {what}, with its 95 % interval"));
        for rank in ranks {
            console::out(format_args!(
                "  {:<28} {:.2}  [{:.2}, {:.2}]  tried {:.0} times",
                self.constructs[rank.arm].name, rank.mean, rank.low, rank.high, rank.pulls
            ));
        }
    }
}

/// A number of queries: `1 query`, `2 queries`.
pub fn queries_in_words(number: u64) -> String {
    if number == 1 { "1 query".to_owned() } else { format!("{} queries", format::thousands(number)) }
}

/// The error for a solver that failed during the search.
pub fn solver_gone(why: String) -> anyhow::Error {
    NoSolver { name: "a solver".to_owned(), said: why }.into()
}

/// The limits and progress of a search: a spinner on a terminal, otherwise a line every few seconds.
pub struct SearchProgress {
    queries: Option<u64>,
    begin: Instant,
    /// The time of the whole command.
    time: Option<Duration>,
    /// The part of it that is left for the steps after the search.
    reserve: Duration,
    bar: Option<ProgressBar>,
    said: Option<Instant>,
}

/// Default duration of a search.
const DEFAULT_SEARCH_TIME: Duration = Duration::from_secs(300);

/// Time between two progress lines without a terminal.
const PROGRESS_LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Time between two movements of the spinner: a query may take seconds.
const SPINNER_INTERVAL: Duration = Duration::from_millis(200);

/// The largest part of the time that is left for the steps after the search: a fourth.
const MAX_RESERVE_DIVISOR: u32 = 4;

impl SearchProgress {
    /// Starts now, with these limits.
    pub fn new(queries: Option<u64>, time: Option<Duration>) -> SearchProgress {
        let time = time.or_else(|| queries.is_none().then_some(DEFAULT_SEARCH_TIME));
        let style = ProgressStyle::with_template("{spinner} {pos} queries, {msg} ({elapsed})")
            .expect("the template is a constant");
        let shown = console::shows_bars();
        let bar = shown.then(|| ProgressBar::new_spinner().with_style(style));
        bar.iter().for_each(|bar| bar.enable_steady_tick(SPINNER_INTERVAL));
        SearchProgress { queries, begin: Instant::now(), time, reserve: Duration::ZERO, bar, said: None }
    }

    /// The same limits, with up to this much of the time left for the steps after the search.
    #[must_use]
    pub fn with_reserve(mut self, reserve: Duration) -> SearchProgress {
        self.reserve = self.time.map_or(reserve, |time| reserve.min(time / MAX_RESERVE_DIVISOR));
        self
    }

    /// Returns true until the search reaches a limit.
    pub fn continues(&self, queries: u64) -> bool {
        self.queries.is_none_or(|most| queries < most)
            && self.search_deadline().is_none_or(|deadline| Instant::now() < deadline)
    }

    /// When the search ends.
    pub fn search_deadline(&self) -> Option<Instant> {
        self.time.map(|time| self.begin + time.saturating_sub(self.reserve))
    }

    /// When the whole command ends; `None` without a limit.
    pub fn deadline(&self) -> Option<Instant> {
        self.time.map(|time| self.begin + time)
    }

    /// The time that is left for the whole command; `None` without a limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.begin.elapsed()))
    }

    /// Shows the progress: the first query and news at once, otherwise a line every few seconds.
    pub fn show(&mut self, queries: u64, words: &str, is_news: bool) {
        if let Some(bar) = &self.bar {
            bar.set_position(queries);
            bar.set_message(words.to_owned());
        } else if is_news || self.said.is_none_or(|said| said.elapsed() > PROGRESS_LINE_INTERVAL) {
            self.said = Some(Instant::now());
            console::progress(format_args!("{}, {words}", queries_in_words(queries)));
        }
    }

    /// Removes the spinner.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| *factor > 0.0 && *factor <= 1.0);
    factor.ok_or_else(|| "write a number above 0 and at most 1".to_owned())
}
