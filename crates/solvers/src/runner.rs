//! A solver behind a driver: what a profile says is turned into a command line, and what comes back into a [`Run`] that
//! says what was wrong with it.

use super::classify::Ending;
use super::driver::marks::MarkToken;
use super::driver::{self, Driver, Launch, Library, Session};
use super::install::pip::Variables;
use super::outline::outline;
use super::process::{Host, RunError};
use super::profile::{self, DriverName, holds};
use super::resolve::{Program, Solver};
use super::run::{Answer, Ask, Limits, Query, Run};
use super::sandbox::{Reach, Sandbox, is_script};
use super::trace;
use super::trouble::{Trouble, TroubleKind};
use super::version::Version;

/// Variables that solvers get from ours: scripts and virtual machines do not start without them.
const INHERITED: [&str; 5] = ["PATH", "HOME", "JAVA_HOME", "LD_LIBRARY_PATH", "TMPDIR"];

/// Variables that every solver gets: one language for messages, one clock.
const FIXED: [(&str, &str); 2] = [("LC_ALL", "C"), ("TZ", "UTC")];

/// How solvers are started here.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The program that holds the helpers.
    pub host: Host,
    /// Our environment.
    pub variables: Variables,
}

/// A solver behind a driver.
///
/// Some scripts need another command line or another driver: those that ask more than once, those that ask for models,
/// those that the profile keeps from the driver. Each such variant is opened when it is first needed.
pub struct Runner {
    solver: Solver,
    setting: Setting,
    kind: &'static driver::Kind,
    variants: Vec<(Variant, Box<dyn Driver>)>,
}

/// What differs between the drivers of one runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Variant {
    driver: &'static str,
    incremental: bool,
    models: bool,
    traced: bool,
}

impl Runner {
    /// A solver behind one of the drivers.
    pub fn open(solver: &Solver, kind: &'static driver::Kind, setting: &Setting) -> Result<Self, RunError> {
        let mut runner =
            Runner { solver: solver.clone(), setting: setting.clone(), kind, variants: Vec::new() };
        runner.driver(Variant { driver: kind.name, incremental: false, models: false, traced: false })?;
        Ok(runner)
    }

    /// The solver.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Runs one script, without what the solver must not get, and says what was wrong with the run.
    pub fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        let filtered = self.solver.profile.filter.filter(query.script);
        let query = &Query { script: &filtered.text, ..*query };
        let variant = self.variant(query);
        let mut run = self.driver(variant)?.run(query)?;
        run.removed = filtered.removed;
        if let Some(tracing) = self.solver.profile.trace.as_ref().filter(|_| variant.traced) {
            // What is read as the trace is not looked at again: the name of a predicate may look like an error.
            let reading = trace::read(tracing, &run.errors);
            (run.trace, run.errors) = (Some(reading.trace), reading.rest);
        }
        let ending = Ending { exit: run.exit, output: &run.output, errors: &run.errors };
        run.trouble = self.solver.profile.patterns.classify(ending);
        let questions = outline(query.script).questions();
        if run.answers.len() > questions {
            // Nobody can tell which of them are the solver's.
            let said = format!("{} answers to {questions} questions", run.answers.len());
            run.answers.clear();
            run.trouble.get_or_insert_with(|| Trouble::new(TroubleKind::Garbage, said));
        }
        Ok(run)
    }

    fn variant(&self, query: &Query<'_>) -> Variant {
        let Solver { profile, version, .. } = &self.solver;
        let avoided = profile.avoids(self.kind.name, query.script, version.as_ref()).is_some();
        let arguments = profile.models.as_ref().is_some_and(|models| !models.arguments.is_empty());
        Variant {
            driver: if avoided || query.ask.behaviour { plain().name } else { self.kind.name },
            incremental: !profile.incremental.is_empty() && asks_more_than_once(query.script),
            models: query.ask.model && arguments,
            traced: query.ask.behaviour && profile.trace.is_some(),
        }
    }

    /// The driver for a variant, opened if it is not.
    fn driver(&mut self, variant: Variant) -> Result<&mut dyn Driver, RunError> {
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
            let launch = launch(&self.solver.with_options(&extra), &self.setting);
            let kind = if variant.driver == self.kind.name { self.kind } else { plain() };
            self.variants.push((variant, (kind.open)(&self.setting.host, &launch)?));
            self.variants.len() - 1
        };
        Ok(self.variants[at].1.as_mut())
    }
}

/// Whether a script has commands that some solvers take only if they are told before.
fn asks_more_than_once(script: &str) -> bool {
    let suspicious =
        script.matches("check-sat").nth(1).is_some() || script.contains("push") || script.contains("pop");
    let commands = || outline(script).commands.into_iter().map(|command| command.name);
    suspicious
        && (commands().filter(|name| name.starts_with("check-sat")).count() > 1
            || commands().any(|name| matches!(name, "push" | "pop")))
}

/// The drivers that can drive a solver and that its profile allows, in the order of the profile.
pub fn drivers(solver: &Solver, setting: &Setting) -> Vec<&'static driver::Kind> {
    let launch = launch(solver, setting);
    let kinds = solver.profile.drivers.iter().filter_map(|name| kind(*name));
    kinds.filter(|kind| (kind.fits)(&launch)).collect()
}

/// The driver of that name, if there is one.
pub fn kind(name: DriverName) -> Option<&'static driver::Kind> {
    driver::ALL.iter().find(|kind| kind.name == name.name())
}

/// The driver that is the reference: a process per script.
pub fn plain() -> &'static driver::Kind {
    kind(DriverName::Plain).expect("the plain driver is always there")
}

/// How a solver is started.
pub fn launch(solver: &Solver, setting: &Setting) -> Launch {
    let profile = &solver.profile;
    let mut options: Vec<String> = profile.command[1..].to_vec();
    options.extend(solver.name.options.iter().cloned());
    let input = match &profile.input.stdin {
        Some(stdin) => stdin.clone(),
        None => [profile.input.file.clone(), vec![Launch::SCRIPT.to_owned()]].concat(),
    };
    let is_library = matches!(solver.program, Program::Library(_));
    let session = profile.session.as_ref().filter(|session| is_library || !session.library_only);
    let library = match &solver.program {
        Program::Binary { library, .. } => library.clone(),
        Program::Library(library) => Some(library.clone()),
    };
    Launch {
        models: profile.models.clone(),
        work: profile.work.clone(),
        statistics: profile.statistics.clone(),
        filter: profile.filter.clone(),
        token: MarkToken::random(),
        session: session.map(|session| in_session(solver, session, &options, setting)),
        library: library.map(|library| Library { arguments: options.clone(), ..library }),
        ..start(solver, [options.clone(), input].concat(), setting)
    }
}

/// The program, its arguments and its environment: a binary, or our own command line around a library.
fn start(solver: &Solver, arguments: Vec<String>, setting: &Setting) -> Launch {
    let (program, arguments) = match &solver.program {
        Program::Binary { path, .. } => (path.clone(), arguments),
        Program::Library(library) => {
            let words = [library.api.name().to_owned(), library.path.display().to_string()];
            (setting.host.program.clone(), own_words(setting).chain(words).chain(arguments).collect())
        }
    };
    let reach = Reach::of_solver(solver, setting);
    Launch { program, arguments, environment: environment(solver, setting), reach, ..Launch::default() }
}

fn in_session(solver: &Solver, session: &profile::Session, options: &[String], setting: &Setting) -> Session {
    let arguments = [options.to_vec(), session.arguments.clone()].concat();
    let (program, arguments) = match &solver.program {
        Program::Binary { path, .. } => (path.clone(), arguments),
        Program::Library(library) => {
            let words = ["session".to_owned(), library.api.name().to_owned(), Session::END.to_owned()];
            let words = own_words(setting).chain(words).chain([library.path.display().to_string()]);
            (setting.host.program.clone(), words.chain(arguments).collect())
        }
    };
    Session { program, arguments, habits: session.clone() }
}

/// The words that lead to the helpers inside our own program.
fn own_words(setting: &Setting) -> impl Iterator<Item = String> {
    setting.host.arguments.iter().map(|word| word.to_string_lossy().into_owned())
}

fn environment(solver: &Solver, setting: &Setting) -> Vec<(String, String)> {
    let fixed = FIXED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let value = |name: &str| Some((name.to_owned(), setting.variables.get(name)?.clone()));
    let of_profile = solver
        .profile
        .environment
        .iter()
        .filter(|variable| holds(variable.versions.as_ref(), solver.version.as_ref()));
    let of_profile = of_profile.map(|variable| (variable.name.clone(), variable.value.clone()));
    fixed.chain(of_profile).chain(INHERITED.iter().filter_map(|name| value(name))).collect()
}

/// Asks a solver for its version; None if it says none that the profile finds.
pub fn ask_version(solver: &Solver, setting: &Setting, limits: Limits) -> Result<Option<Version>, RunError> {
    let probe = &solver.profile.version;
    if probe.pattern.text().is_empty() {
        return Ok(None);
    }
    let launch = start(solver, probe.arguments.clone(), setting);
    let mut driver = (plain().open)(&setting.host, &launch)?;
    let run = driver.run(&Query { script: "", limits, ask: Ask::NOTHING })?;
    let group = |text| probe.pattern.regex().captures(text)?.get(1);
    let found = [&run.output, &run.errors].into_iter().find_map(|text| group(text));
    let text = found.map(|found| String::from_utf8_lossy(found.as_bytes()).into_owned());
    Ok(text.and_then(|text| text.trim_end_matches('.').parse().ok()))
}

/// What a solver says of its own version, in its own words; None if it says nothing.
pub fn version_line(solver: &Solver, setting: &Setting, limits: Limits) -> Option<String> {
    let launch = start(solver, solver.profile.version.arguments.clone(), setting);
    let mut driver = (plain().open)(&setting.host, &launch).ok()?;
    let run = driver.run(&Query { script: "", limits, ask: Ask::NOTHING }).ok()?;
    let text = String::from_utf8_lossy(&run.output);
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| line.chars().take(200).collect())
}

/// Whether a program answers like an SMT solver at all. The error says what it did instead.
///
/// It is asked without the options of the user, which may not fit the question.
pub fn answers(solver: &Solver, setting: &Setting, limits: Limits) -> Result<Result<(), String>, RunError> {
    let logic = if solver.profile.supports("QF_UF") { "QF_UF" } else { &solver.profile.logics[0] };
    let script = format!("(set-logic {logic})\n(check-sat)\n");
    let mut bare = solver.clone();
    bare.name.options.clear();
    let run =
        Runner::open(&bare, plain(), setting)?.run(&Query { script: &script, limits, ask: Ask::NOTHING })?;
    Ok(match run.answers.as_slice() {
        [Answer::Sat | Answer::Unknown] => Ok(()),
        _ => Err(first_words(&run) + confinement_hint(solver, setting)),
    })
}

/// What may be why a wrapper script does not work: what it starts may lie where a confined process cannot read.
fn confinement_hint(solver: &Solver, setting: &Setting) -> &'static str {
    match &solver.program {
        Program::Binary { path, .. } if setting.host.sandbox != Sandbox::Off && is_script(path) => {
            "; if it starts programs elsewhere, name their folders in a profile, or try --no-sandbox"
        }
        _ => "",
    }
}

/// What a run that makes no sense said and did, in a few words.
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
