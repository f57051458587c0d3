//! `gainsay bisect FILE --solver NAME`: which releases of a solver are wrong about a script.

pub mod commits;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::question;
use gainsay_engine::seeds;
use gainsay_engine::solver::install::Installer;
use gainsay_engine::solver::name::{Origin, SolverName};
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Answer, Limits};
use gainsay_engine::solver::runner::Launcher;
use gainsay_engine::solver::version::Versions;
use gainsay_engine::triage::bisect::{
    BisectRequest, Bisection, Release, ReleaseList, ReleaseResult, ReleaseScope, bisect,
};
use gainsay_engine::triage::release_range::{fixed, introduced};
use gainsay_engine::triage::release_statement::ReleaseQuery;
use gainsay_engine::triage::releases::{identity, installed};
use gainsay_engine::triage::statement_cache::StatementCache;
use gainsay_engine::triage::truth::Truth;
use gainsay_engine::trial::exhaustion::SINGLE_SCRIPT_STEPS;
use gainsay_engine::trial::{ExhaustionEvidence, Silence, SolverIdentity, Statement, claimed_statuses};
use gainsay_smt::Script;

use crate::command::check::{Expected, seconds};
use crate::environment::{Environment, SandboxArgs};
use crate::exit::{self, NothingTested, UsageError};
use crate::json::scripts::{BisectedReleases, ReferenceAnswer};
use crate::report::format::visible;
use crate::script;
use crate::stop::StopRequest;
use crate::{console, json, releases, solver_lookup};

const BISECT_EXAMPLES: &str = "Examples:
  gainsay bisect bug.smt2 --solver z3
  gainsay bisect bug.smt2 --solver z3 --versions 4.8.6..4.12.2 --all
  gainsay bisect bug.smt2 --solver \"z3 rewriter.flat=false\" --installed
  gainsay bisect bug.smt2 --solver cvc5 --reference z3@latest --json
  gainsay bisect bug.smt2 --solver z3=build/z3 --reference cvc5@latest \\
    --repository ~/z3 --build \"make -C build -j\" --good z3-4.12.1      commits instead of releases

Installed releases are asked first; then releases are installed, as few as settle where the bug comes and goes. What a
release said once is remembered. The exit code is 10 if a release is wrong, 0 if none is, 6 if no release decides the script.
`gainsay --help` lists all exit codes.";

/// Arguments of `gainsay bisect`.
#[derive(Debug, Args)]
#[command(after_help = BISECT_EXAMPLES)]
pub struct BisectArgs {
    /// The script; - for standard input.
    file: PathBuf,
    /// The solver, without a version, with options after it: "z3 rewriter.flat=false".
    #[arg(long, short, value_name = "SOLVER")]
    solver: String,
    /// Only these releases: A..B, both included; either end may be left out [default: all releases].
    #[arg(long, value_name = "A..B")]
    versions: Option<Versions>,
    /// A solver to compare with; repeatable [default: the newest installed one of every other code base, else the newest cvc5 or z3].
    #[arg(long = "reference", value_name = "SOLVER")]
    references: Vec<String>,
    /// The answer that is known to be right [default: not known].
    #[arg(long, value_name = "ANSWER")]
    expect: Option<Expected>,
    /// Expect of each check the answer that the (set-info :status …) before it claims [default: statuses are ignored].
    #[arg(long, conflicts_with = "expect")]
    expect_statuses: bool,
    /// What to look for: refutation, solution, model, reply or crash [default: the most severe that is seen].
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Option<FindingKind>,
    /// Ask every release.
    #[arg(long, conflicts_with = "installed")]
    all: bool,
    /// Ask installed releases only; nothing is downloaded.
    #[arg(long)]
    installed: bool,
    /// Run releases again, even if their results are recorded.
    #[arg(long)]
    fresh: bool,
    /// Timeout per solver run: 10, 500ms, 1m.
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = seconds)]
    timeout: Duration,
    /// Memory limit per solver run, in megabytes.
    #[arg(long, default_value_t = 4096, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    memory: u64,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    commits: commits::CommitArgs,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

fn kind(text: &str) -> Result<FindingKind, String> {
    let kinds = [
        FindingKind::Refutation,
        FindingKind::Solution,
        FindingKind::Model,
        FindingKind::Reply,
        FindingKind::Crash,
    ];
    let found = kinds.into_iter().find(|kind| kind.name() == text);
    found.ok_or_else(|| "write refutation, solution, model, reply or crash".to_owned())
}

/// Runs the command.
pub fn run(args: &BisectArgs) -> anyhow::Result<ExitCode> {
    if args.commits.is_given() {
        return commits::run(args);
    }
    let (text, script) = script::read_asking(&args.file)?;
    let name: SolverName = args.solver.parse()?;
    check_has_releases(&name)?;
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let stop = StopRequest::on_signals()?;
    let installer = if args.installed { None } else { Some(solver_lookup::installer(&environment)?) };
    let (known, is_listed) = all_releases(&environment, installer.as_ref(), &name)?;
    let known = releases::within(known, &name, args.versions.as_ref())?;
    let references = releases::references(&environment, &name, &args.references, installer.as_ref())?;
    let checkers = if script.is_horn() || question::is_asked(&script) { &references[..] } else { &[] };
    let asking = Asking {
        query: ReleaseQuery { script: &script, text: &text, limits: limits(args), checkers },
        launcher: environment.launcher()?,
        memory: if args.fresh {
            StatementCache::none()
        } else {
            StatementCache::within(environment.cache.folder())
        },
        environment: &environment,
        installer: installer.as_ref(),
        name: SolverName { origin: Origin::Latest, ..name },
    };
    let references = asking.references(&references, &known)?;
    let references: Vec<&Statement> = references.iter().collect();
    let suspect = asking.suspect()?;
    let exact = ExhaustionEvidence::of_script(&script, SINGLE_SCRIPT_STEPS);
    let request = BisectRequest {
        suspect: &suspect,
        releases: &known,
        listed: listed(args, is_listed),
        scope: scope(args),
        references: &references,
        questions: seeds::questions(&script),
        expected: &expected(args, &script),
        exact: &exact,
        kind: args.kind,
    };
    let mut tell = |release: &Release, statement: &Statement| {
        console::progress(format_args!("{}@{}: {}", suspect.name, release.version, told(statement)));
    };
    let bisection = bisect(&request, &mut |release| asking.ask(release), &mut tell, stop.flag())?;
    tell_disproved(args, &bisection.truth);
    show(args, &suspect, &references, &bisection);
    let is_decided = bisection.versions.iter().any(|entry| entry.affected.is_some());
    match (bisection.kind, is_decided) {
        (Some(_), _) => Ok(ExitCode::from(exit::EXIT_FINDINGS)),
        (None, true) => Ok(ExitCode::SUCCESS),
        (None, false) => Err(NothingTested(format!(
            "no release of {} decided the script, so nothing is known about it; increase --timeout, or add --reference",
            suspect.name
        ))
        .into()),
    }
}

/// Which releases are listed: the package index lists all, of which the user may have asked for a range.
fn listed(args: &BisectArgs, has_index: bool) -> ReleaseList {
    match (has_index, &args.versions) {
        (true, None) => ReleaseList::All,
        (true, Some(_)) => ReleaseList::Range,
        (false, _) => ReleaseList::Installed,
    }
}

/// Fails if the name is that of one program or one release.
fn check_has_releases(name: &SolverName) -> Result<(), UsageError> {
    let plain = SolverName { origin: Origin::Path, ..name.clone() };
    match &name.origin {
        Origin::Path => Ok(()),
        Origin::Command(_) => {
            Err(UsageError(format!("{name} is one program: name a solver that has releases, such as z3")))
        }
        Origin::Managed(version) => Err(UsageError(format!(
            "{name} is one release, and bisect tests many: write --solver \"{plain}\", with --versions {version}..{version} for \
             this one only, or test it with `gainsay check`"
        ))),
        Origin::Latest => Err(UsageError(format!(
            "{name} is one release, and bisect tests many: write --solver \"{plain}\""
        ))),
    }
}

/// Warns if a proof contradicts the answer that the user expects.
fn tell_disproved(args: &BisectArgs, truth: &Truth) {
    let Some(expected) = args.expect.map(Answer::from) else { return };
    let mut proofs = truth.checks.iter().flatten().filter(|right| right.evidence == Evidence::Proved);
    if let Some(right) = proofs.find(|right| right.answer != expected) {
        let (expected, right, supporters) =
            (expected.name(), right.answer.name(), right.supporters.join(", "));
        console::err(format_args!(
            "gainsay: --expect {expected} is wrong: the model of {supporters} proves the answer {right}"
        ));
    }
}

/// The answers that the user expects of the checks of a script.
fn expected(args: &BisectArgs, script: &Script) -> Vec<Option<Answer>> {
    match (args.expect, args.expect_statuses) {
        (Some(expected), _) => vec![Some(expected.into()); seeds::questions(script)],
        (None, true) => claimed_statuses(script),
        (None, false) => Vec::new(),
    }
}

fn scope(args: &BisectArgs) -> ReleaseScope {
    match (args.all, args.installed) {
        (true, _) => ReleaseScope::All,
        (_, true) => ReleaseScope::Installed,
        _ => ReleaseScope::Settling,
    }
}

fn limits(args: &BisectArgs) -> Limits {
    Limits { wall: args.timeout, memory: Some(args.memory << 20), ..Limits::default() }
}

/// All releases, and whether the index lists them; without the index those that are installed, if there are any.
fn all_releases(
    environment: &Environment,
    installer: Option<&Installer<'_>>,
    name: &SolverName,
) -> anyhow::Result<(Vec<Release>, bool)> {
    let installed = installed(&environment.places(), name)?;
    let mut is_listed = false;
    let known = match installer.map(|installer| releases::installable(environment, installer, name)) {
        None => installed,
        Some(Err(error)) if !installed.is_empty() => {
            console::err(format_args!("gainsay: {}; asking installed releases only", exit::line_of(&error)));
            installed
        }
        Some(known) => {
            is_listed = true;
            known?
        }
    };
    if known.is_empty() { Err(releases::nothing(name)) } else { Ok((known, is_listed)) }
}

/// What releases and references are asked with.
struct Asking<'a> {
    environment: &'a Environment,
    installer: Option<&'a Installer<'a>>,
    name: SolverName,
    query: ReleaseQuery<'a>,
    launcher: Launcher,
    memory: StatementCache,
}

impl Asking<'_> {
    fn suspect(&self) -> anyhow::Result<SolverIdentity> {
        let family = self.environment.profiles.get(&self.name.profile)?.family.clone();
        Ok(SolverIdentity { name: self.name.profile.clone(), family, version: None })
    }

    /// Asks other solvers, and the newest release of the suspect itself.
    fn references(&self, solvers: &[Solver], known: &[Release]) -> anyhow::Result<Vec<Statement>> {
        let mut heard = Vec::new();
        for solver in solvers {
            let identity = identity(solver, &self.launcher)?;
            let statement = self.memory.ask(&self.query, solver, &identity, &self.launcher)?;
            console::progress(format_args!("{} (reference): {}", identity.name, told(&statement)));
            heard.push(statement);
        }
        if let Some(newest) = known.last() {
            let family = self.suspect()?.family;
            let name = format!("{}@{}", self.name.profile, newest.version);
            let solver = SolverIdentity { name, family, version: Some(newest.version.clone()) };
            heard.push(Statement { solver, ..self.ask(newest)? });
        }
        Ok(heard)
    }

    /// A release that cannot be had is silent: there are others.
    fn ask(&self, release: &Release) -> anyhow::Result<Statement> {
        let solver = match releases::get(self.environment, self.installer, &self.name, &release.version) {
            Ok(solver) => solver,
            Err(error) if exit::code_of(&error) == exit::EXIT_DISK => return Err(error),
            Err(error) => {
                let name = format!("{}@{}", self.name.profile, release.version);
                let identity = SolverIdentity { name, ..self.suspect()? };
                return Ok(Statement::silent(identity, exit::line_of(&error)));
            }
        };
        let identity = identity(&solver, &self.launcher)?;
        Ok(self.memory.ask(&self.query, &solver, &identity, &self.launcher)?)
    }
}

fn told(statement: &Statement) -> String {
    let crash = || Some(statement.crash.as_ref()?.fingerprint(&statement.solver.family).to_string());
    let more = statement.silence.as_ref().map(Silence::why).or_else(crash);
    visible(&format!("{}{}", statement.word(), more.map(|more| format!(" ({more})")).unwrap_or_default()))
}

fn show(args: &BisectArgs, suspect: &SolverIdentity, references: &[&Statement], bisection: &Bisection) {
    if args.json {
        json::print(&describe(suspect, references, bisection));
        return;
    }
    for entry in bisection.versions.iter().filter(|entry| !entry.said.is_empty()) {
        let why = if entry.why.is_empty() { String::new() } else { format!("  {}", visible(&entry.why)) };
        console::out(
            format_args!("{} {:<12} {}{why}", letter(entry), entry.version.to_string(), entry.said)
                .to_string()
                .trim_end(),
        );
    }
    console::out(format_args!("releases   {}", bisection.versions.iter().map(letter).collect::<String>()));
    summary(suspect, bisection).iter().for_each(console::out);
}

/// Bad, good, undecided, not asked.
fn letter(entry: &ReleaseResult) -> char {
    match (entry.affected, entry.said.is_empty()) {
        (Some(true), _) => 'X',
        (Some(false), _) => '.',
        (None, false) => '-',
        (None, true) => '?',
    }
}

fn summary(suspect: &SolverIdentity, bisection: &Bisection) -> Vec<String> {
    let Some(kind) = bisection.kind else {
        let words = bisection.truth.words();
        return vec![
            format!("right      {words}"),
            format!("no tested release of {} is wrong about it", suspect.name),
        ];
    };
    let evidence = bisection.evidence.unwrap_or(Evidence::Disagreement);
    let mut supporters: Vec<String> = Vec::new();
    for supporter in bisection.truth.checks.iter().flatten().flat_map(|known| &known.supporters) {
        if !supporters.contains(supporter) {
            supporters.push(supporter.clone());
        }
    }
    let place = bisection.listed.newest_words().replacen(" release", "", 1);
    let newest = match bisection.newest() {
        Some((newest, Some(true))) => format!("still there in {newest}, {place}"),
        Some((newest, Some(false))) => format!("not there in {newest}, {place}"),
        Some((newest, None)) => format!("unknown for {newest}, {place}"),
        None => String::new(),
    };
    let mut lines = vec![
        format!("wrong      {}, {}", kind.name(), evidence.name()),
        right(&bisection.truth, &supporters),
        format!("introduced {}", introduced(bisection).unwrap_or_else(|| "-".to_owned())),
        format!("fixed      {}", fixed(bisection).unwrap_or_else(|| "-".to_owned())),
        format!("newest     {newest}"),
    ];
    if bisection.stopped {
        lines.push("stopped early: run the same command to continue".to_owned());
    }
    lines
}

/// The right answers, and the solvers that give them.
fn right(truth: &Truth, supporters: &[String]) -> String {
    match supporters {
        [] => "right      not known: no other solver decides it".to_owned(),
        supporters => format!("right      {} (by {})", truth.words(), visible(&supporters.join(", "))),
    }
}

fn describe<'a>(
    suspect: &'a SolverIdentity,
    references: &[&Statement],
    bisection: &'a Bisection,
) -> BisectedReleases<'a> {
    let version =
        |version: Option<&gainsay_engine::solver::version::Version>| version.map(ToString::to_string);
    let reference = |one: &&Statement| ReferenceAnswer { solver: one.solver.name.clone(), said: one.word() };
    BisectedReleases {
        solver: &suspect.name,
        kind: bisection.kind,
        evidence: bisection.evidence,
        expected: bisection.truth.words(),
        versions: &bisection.versions,
        first_bad: version(bisection.first_bad()),
        last_good: version(bisection.last_good()),
        last_bad: version(bisection.last_bad()),
        fixed_in: version(bisection.fixed_in()),
        introduced: introduced(bisection),
        fixed: fixed(bisection),
        still_bad: bisection.newest().and_then(|(_, affected)| affected),
        references: references.iter().map(reference).collect(),
        stopped: bisection.stopped,
    }
}
