//! Runs scripts on a solver: turns its profile into a command line for a driver, and classifies the result as a
//! [`Run`].

use super::classify::RunOutput;
use super::driver::marks::MarkToken;
use super::driver::{self, CoverageRequest, Driver, LaunchSpec, SessionSpec, SolverLibrary};
use super::install::pip::Variables;
use super::name::Origin;
use super::outline::outline;
use super::process::{HelperProgram, RunError};
use super::profile::{self, DriverName, holds};
use super::proof_checker;
use super::rejection;
use super::resolve::{Program, Solver};
use super::run::{Answer, Ask, Limits, Query, Run};
use super::sandbox::{AccessRules, Sandbox, is_script};
use super::script_filter::FilteredScript;
use super::shortage::wait_out;
use super::trace;
use super::trouble::{Trouble, TroubleKind};
use super::version::Version;

/// Variables that solvers inherit from gainsay: wrapper scripts and virtual machines need them.
const INHERITED_VARIABLES: [&str; 5] = ["PATH", "HOME", "JAVA_HOME", "LD_LIBRARY_PATH", "TMPDIR"];

/// Variables that every solver gets: English messages, UTC.
const FIXED_VARIABLES: [(&str, &str); 2] = [("LC_ALL", "C"), ("TZ", "UTC")];

/// How this process starts solvers.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The program that contains the helpers.
    pub host: HelperProgram,
    /// The environment of gainsay.
    pub variables: Variables,
}

/// A solver behind a driver.
///
/// Some queries need another command line or another driver: scripts with several checks, queries for models, scripts that
/// the profile keeps from the driver. Each such variant is opened when it is first needed.
pub struct Runner {
    solver: Solver,
    launcher: Launcher,
    kind: &'static driver::DriverKind,
    coverage: Option<CoverageRequest>,
    variants: Vec<(RunnerVariant, Box<dyn Driver>)>,
}

/// A driver of a runner, and the options that it adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RunnerVariant {
    driver: &'static str,
    incremental: bool,
    synthesises: bool,
    models: bool,
    traced: bool,
}

impl Runner {
    /// A solver behind one of the drivers.
    pub fn open(
        solver: &Solver,
        kind: &'static driver::DriverKind,
        launcher: &Launcher,
    ) -> Result<Self, RunError> {
        Self::open_covered(solver, kind, launcher, None)
    }

    /// A solver behind one of the drivers, whose coverage is measured if `coverage` says so.
    pub fn open_covered(
        solver: &Solver,
        kind: &'static driver::DriverKind,
        launcher: &Launcher,
        coverage: Option<CoverageRequest>,
    ) -> Result<Self, RunError> {
        let mut runner = Runner {
            solver: solver.clone(),
            launcher: launcher.clone(),
            kind,
            coverage,
            variants: Vec::new(),
        };
        proof_checker::check_program(solver, launcher)?;
        let (incremental, synthesises, models, traced) = (false, false, false, false);
        let plainest = RunnerVariant { driver: kind.name, incremental, synthesises, models, traced };
        wait_out(|| runner.driver(plainest).map(drop))?;
        Ok(runner)
    }

    /// The solver.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Runs one script, without commands that the solver must not get, and classifies the run. Waits while the machine lacks
    /// resources.
    pub fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        let (run, shortage) = wait_out(|| {
            let run = self.try_run(query);
            if run.as_ref().is_err_and(RunError::is_shortage) {
                // Perhaps this runner itself holds what is lacking.
                self.variants.clear();
            }
            run
        })?;
        Ok(Run { shortage, ..run })
    }

    fn try_run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        if query.ask.checks_proof {
            return proof_checker::run(&self.solver, &self.launcher, query);
        }
        let filtered = match query.ask.unfiltered {
            true => FilteredScript { text: query.script.into(), removed: Vec::new() },
            false => self.solver.profile.filter.filter(query.script),
        };
        let text = proof_checker::with_head(&self.solver.profile, &filtered.text);
        let query = &Query { script: &text, ..*query };
        let variant = self.variant(query);
        let mut run = self.driver(variant)?.run(query)?;
        run.removed = filtered.removed;
        if let Some(tracing) = self.solver.profile.trace.as_ref().filter(|_| variant.traced) {
            // The trace is not classified: the name of a predicate may look like an error.
            let reading = trace::read_trace(tracing, &run.errors);
            (run.trace, run.errors) = (Some(reading.trace), reading.rest);
        }
        let run_output = RunOutput { exit: run.exit, output: &run.output, errors: &run.errors };
        run.trouble = self.solver.profile.patterns.classify(run_output);
        let outline = outline(query.script);
        // A last command whose bracket is missing may be a question, too.
        let questions = outline.questions() + usize::from(!outline.clean);
        if run.answers.len() > questions {
            // The solver's own answers cannot be told from the rest.
            let said = format!("{} answers to {questions} questions", run.answers.len());
            run.answers.clear();
            run.places.answer_ends.clear();
            run.trouble.get_or_insert_with(|| Trouble::new(TroubleKind::Garbage, said));
        }
        run.rejection = rejection::weigh(&run, questions, &self.solver.profile.patterns);
        Ok(run)
    }

    fn variant(&self, query: &Query<'_>) -> RunnerVariant {
        let Solver { profile, version, .. } = &self.solver;
        let avoided = profile.avoids(self.kind.name, query.script, version.as_ref()).is_some();
        let arguments = profile.models.as_ref().is_some_and(|models| !models.arguments.is_empty());
        RunnerVariant {
            driver: if avoided || query.ask.behaviour { plain().name } else { self.kind.name },
            incremental: !profile.incremental.is_empty() && asks_more_than_once(query.script),
            synthesises: profile.input.synthesis.is_some() && synthesises(query.script),
            models: query.ask.model && arguments,
            traced: query.ask.behaviour && profile.trace.is_some(),
        }
    }

    /// The driver for a variant; opens it if needed.
    fn driver(&mut self, variant: RunnerVariant) -> Result<&mut dyn Driver, RunError> {
        let known = self.variants.iter().position(|(known, _)| *known == variant);
        let at = if let Some(at) = known {
            at
        } else {
            let profile = &self.solver.profile;
            let mut extra = Vec::new();
            if variant.incremental {
                extra.extend_from_slice(&profile.incremental);
            }
            if let Some(models) = profile.models.as_ref().filter(|_| variant.models) {
                extra.extend_from_slice(&models.arguments);
            }
            if let Some(tracing) = profile.trace.as_ref().filter(|_| variant.traced) {
                extra.extend_from_slice(&tracing.arguments);
            }
            let solver = self.solver.with_options(&extra);
            let solver = if variant.synthesises { solver.for_synthesis() } else { solver };
            let mut launch = launch_spec(&solver, &self.launcher);
            launch.coverage = self.coverage_for(variant.driver);
            let kind = if variant.driver == self.kind.name { self.kind } else { plain() };
            self.variants.push((variant, (kind.open)(&self.launcher.host, &launch)?));
            self.variants.len() - 1
        };
        Ok(self.variants[at].1.as_mut())
    }
}

impl Runner {
    /// Traps of a library need a fork server; a program is covered by the drivers that start it.
    fn coverage_for(&self, driver: &str) -> Option<CoverageRequest> {
        let is_fork = kind(DriverName::Fork).is_some_and(|fork| fork.name == driver);
        self.coverage.clone().filter(|coverage| coverage.target.is_program() != is_fork)
    }
}

/// Returns true if a script needs incremental solving, which some solvers only do with an option.
pub fn asks_more_than_once(script: &str) -> bool {
    let suspicious = script.matches("check-sat").nth(1).is_some()
        || ["push", "pop", "get-qe", "get-abduct", "get-interpolant", "get-timeout-core"]
            .iter()
            .any(|name| script.contains(name));
    let commands = || outline(script).commands.into_iter().map(|command| command.name);
    suspicious
        && (commands().filter(|name| is_query(name)).count() > 1
            || commands().any(|name| matches!(name, "push" | "pop")))
}

/// Returns true if a script declares a function to synthesise.
pub fn synthesises(script: &str) -> bool {
    script.contains("synth-fun") && outline(script).commands.iter().any(|command| command.name == "synth-fun")
}

/// Returns true if a solver searches when it gets a command of this name: cvc5 answers a check after `get-qe` wrongly unless it
/// is incremental.
fn is_query(name: &str) -> bool {
    let queries = ["check-sat", "get-qe", "get-abduct", "get-interpolant", "get-timeout-core"];
    queries.iter().any(|query| name.starts_with(query))
}

/// The drivers that can drive a solver and that its profile allows, in the order of the profile.
pub fn drivers(solver: &Solver, launcher: &Launcher) -> Vec<&'static driver::DriverKind> {
    let launch = launch_spec(solver, launcher);
    let kinds = solver.profile.drivers.iter().filter_map(|name| kind(*name));
    kinds.filter(|kind| (kind.fits)(&launch)).collect()
}

/// The driver of that name, if there is one.
pub fn kind(name: DriverName) -> Option<&'static driver::DriverKind> {
    driver::ALL.iter().find(|kind| kind.name == name.name())
}

/// The driver that is the reference: a process per script.
pub fn plain() -> &'static driver::DriverKind {
    kind(DriverName::Plain).expect("the plain driver is always there")
}

/// How to start a solver.
pub fn launch_spec(solver: &Solver, launcher: &Launcher) -> LaunchSpec {
    let profile = &solver.profile;
    let mut options: Vec<String> = profile.command[1..].to_vec();
    options.extend(solver.name.options.iter().cloned());
    let input = match &profile.input.stdin {
        Some(stdin) => stdin.clone(),
        None => [profile.input.file.clone(), vec![LaunchSpec::SCRIPT_PLACEHOLDER.to_owned()]].concat(),
    };
    let is_library = matches!(solver.program, Program::Library(_));
    let session = profile.session.as_ref().filter(|session| is_library || !session.library_only);
    let library = match &solver.program {
        Program::Binary { library, .. } => library.clone(),
        Program::Library(library) => Some(library.clone()),
    };
    LaunchSpec {
        models: profile.models.clone(),
        work: profile.work.clone(),
        statistics: profile.statistics.clone(),
        filter: profile.filter.clone(),
        token: MarkToken::random(),
        session: session.map(|session| in_session(solver, session, &options, launcher)),
        library: library.map(|library| SolverLibrary { arguments: options.clone(), ..library }),
        ..start(solver, [options.clone(), input].concat(), launcher)
    }
}

/// The command that a user types to run a solver on a script in a file of this name.
///
/// The program is named as users name it: by the command of the profile, or as they gave it. `script` is its text: some solvers
/// need an option for scripts that ask more than once.
pub fn file_command(solver: &Solver, script: &str, file: &str) -> Vec<String> {
    let for_script = if synthesises(script) { solver.for_synthesis() } else { solver.clone() };
    let profile = &for_script.profile;
    let mut words = profile.command.clone();
    if let (Origin::Command(program), Some(first)) = (&solver.name.origin, words.first_mut()) {
        first.clone_from(program);
    }
    words.extend(solver.name.options.iter().cloned());
    if asks_more_than_once(script) {
        words.extend(profile.incremental.iter().cloned());
    }
    words.extend(profile.input.file.iter().cloned());
    words.push(file.to_owned());
    words
}

/// The program, its arguments and its environment: a binary, or gainsay's own command line around a library.
pub(crate) fn start(solver: &Solver, arguments: Vec<String>, launcher: &Launcher) -> LaunchSpec {
    let (program, arguments) = match &solver.program {
        Program::Binary { path, .. } => (path.clone(), arguments),
        Program::Library(library) => {
            let words = [library.api.name().to_owned(), library.path.display().to_string()];
            (launcher.host.program.clone(), own_words(launcher).chain(words).chain(arguments).collect())
        }
    };
    let access = AccessRules::of_solver(solver, launcher);
    LaunchSpec {
        program,
        arguments,
        environment: environment(solver, launcher),
        access,
        ..LaunchSpec::default()
    }
}

fn in_session(
    solver: &Solver,
    session: &profile::SessionSupport,
    options: &[String],
    launcher: &Launcher,
) -> SessionSpec {
    let arguments = [options.to_vec(), session.arguments.clone()].concat();
    let (program, arguments) = match &solver.program {
        Program::Binary { path, .. } => (path.clone(), arguments),
        Program::Library(library) => {
            let words = [
                "session".to_owned(),
                library.api.name().to_owned(),
                SessionSpec::END_PLACEHOLDER.to_owned(),
            ];
            let words = own_words(launcher).chain(words).chain([library.path.display().to_string()]);
            (launcher.host.program.clone(), words.chain(arguments).collect())
        }
    };
    SessionSpec { program, arguments, support: session.clone() }
}

/// The arguments that select the helpers in gainsay's program.
fn own_words(launcher: &Launcher) -> impl Iterator<Item = String> {
    launcher.host.arguments.iter().map(|word| word.to_string_lossy().into_owned())
}

fn environment(solver: &Solver, launcher: &Launcher) -> Vec<(String, String)> {
    let fixed = FIXED_VARIABLES.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let value = |name: &str| Some((name.to_owned(), launcher.variables.get(name)?.clone()));
    let of_profile = solver
        .profile
        .environment
        .iter()
        .filter(|variable| holds(variable.versions.as_ref(), solver.version.as_ref()));
    let of_profile = of_profile.map(|variable| (variable.name.clone(), variable.value.clone()));
    fixed.chain(of_profile).chain(INHERITED_VARIABLES.iter().filter_map(|name| value(name))).collect()
}

/// Asks a solver for its version; `None` if the profile finds none in the output.
pub fn ask_version(
    solver: &Solver,
    launcher: &Launcher,
    limits: Limits,
) -> Result<Option<Version>, RunError> {
    let probe = &solver.profile.version;
    if probe.pattern.text().is_empty() {
        return Ok(None);
    }
    let launch = start(solver, probe.arguments.clone(), launcher);
    let query = Query { script: "", limits, ask: Ask::ANSWERS_ONLY };
    let (run, _) = wait_out(|| (plain().open)(&launcher.host, &launch)?.run(&query))?;
    let group = |text| probe.pattern.regex().captures(text)?.get(1);
    let found = [&run.output, &run.errors].into_iter().find_map(|text| group(text));
    let text = found.map(|found| String::from_utf8_lossy(found.as_bytes()).into_owned());
    Ok(text.and_then(|text| text.trim_end_matches('.').parse().ok()))
}

/// The first line that a solver prints about its version; `None` if it prints nothing.
pub fn version_line(solver: &Solver, launcher: &Launcher, limits: Limits) -> Option<String> {
    let launch = start(solver, solver.profile.version.arguments.clone(), launcher);
    let mut driver = (plain().open)(&launcher.host, &launch).ok()?;
    let run = driver.run(&Query { script: "", limits, ask: Ask::ANSWERS_ONLY }).ok()?;
    let text = String::from_utf8_lossy(&run.output);
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| line.chars().take(200).collect())
}

/// Checks that a program answers like an SMT solver. The inner error quotes its output.
///
/// Leaves out the options of the user, which may not suit the logic of the check.
pub fn answers(solver: &Solver, launcher: &Launcher, limits: Limits) -> Result<Result<(), String>, RunError> {
    let logic = if solver.profile.supports("QF_UF") { "QF_UF" } else { &solver.profile.logics[0] };
    let script = format!("(set-logic {logic})\n(check-sat)\n");
    let mut bare = solver.clone();
    bare.name.options.clear();
    let run = Runner::open(&bare, plain(), launcher)?.run(&Query {
        script: &script,
        limits,
        ask: Ask::ANSWERS_ONLY,
    })?;
    Ok(match run.answers.as_slice() {
        [Answer::Sat | Answer::Unknown] => Ok(()),
        _ => Err(first_words(&run) + confinement_hint(solver, launcher)),
    })
}

/// A hint for wrapper scripts, which may start a program that a confined process cannot read.
fn confinement_hint(solver: &Solver, launcher: &Launcher) -> &'static str {
    match &solver.program {
        Program::Binary { path, .. } if launcher.host.sandbox != Sandbox::Off && is_script(path) => {
            "; if it starts programs elsewhere, name their folders in a profile, or try --no-sandbox"
        }
        _ => "",
    }
}

/// The first words that a failed run printed.
fn first_words(run: &Run) -> String {
    let said = [&run.output, &run.errors].into_iter().find_map(|text| {
        let text = String::from_utf8_lossy(text);
        text.lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map(|line| line.chars().take(80).collect::<String>())
    });
    match (said, &run.trouble) {
        (Some(said), _) => format!("it says `{said}`"),
        (None, Some(trouble)) => format!("it says nothing ({trouble})"),
        (None, None) => "it says nothing".to_owned(),
    }
}
