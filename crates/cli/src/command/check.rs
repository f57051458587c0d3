//! `gainsay check FILE --solver S…`: runs solvers on one script, and prints the verdicts of all oracles with reasons.
//!
//! Every solver is run by the plain driver, a fresh process each, as its users run it. What looks like a bug is run once
//! more, and only what repeats is reported.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use gainsay_engine::finding::Finding;
use gainsay_engine::oracle::agreement::promise_disproved;
use gainsay_engine::oracle::{Verdict, crash};
use gainsay_engine::session::panel::PanelSolver;
use gainsay_engine::session::{Judgement, ModelPolicy, SideQuery, SolverAccess, SolverRun, TrialSession};
use gainsay_engine::solver::name::Origin;
use gainsay_engine::solver::process::RunError;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Launcher, Runner};
use gainsay_engine::solver::trouble::{Trouble, TroubleKind};
use gainsay_engine::time_span;
use gainsay_engine::trial::evidence::{Proof, VoteCount, VoteOutcome};
use gainsay_engine::trial::exhaustion::SINGLE_SCRIPT_STEPS;
use gainsay_engine::trial::reply::ReplyCheck;
use gainsay_engine::trial::{Promise, Silence, SolverIdentity, Statement, Trial};
use gainsay_smt::{Script, ScriptPrefix};

use crate::console::LineColour;
use crate::environment::{Environment, SandboxArgs};
use crate::exit;
use crate::json::scripts::{CheckRun, CheckedScript};
use crate::report::findings::{DocumentedFinding, FindingsFormat};
use crate::{console, json, script, solver_lookup};

const CHECK_EXAMPLES: &str = "Examples:
  gainsay check bug.smt2 --solver z3@latest --solver cvc5@latest
  gainsay check bug.smt2 --solver z3@5.4.0 --solver \"z3@5.4.0 rewriter.flat=false\"
  gainsay check bug.smt2 --solver z3=./build/z3 --expect unsat --timeout 500ms
  gainsay check incremental.smt2 --solver z3@latest --expect-statuses
  gainsay check bug.smt2 --solver z3 --self-check --json
  gainsay check bug.smt2 --solver z3@latest --solver cvc5@latest --format junit > check.xml
  gainsay check - --solver z3@latest < bug.smt2

gainsay also decides the script by itself, if it can try every assignment (see gainsay decide): then one solver is
enough for a proof that its answer is wrong.

A (set-info :status …) that gainsay proves wrong is reported, and expected of no solver.

The exit code is 10 with findings, 0 without, 2 if neither gainsay nor a solver can read the script or if --expect is
disproved, 6 if no solver gives an answer that counts. `gainsay --help` lists all exit codes.";

/// Arguments of `gainsay check`.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// The script; - for standard input.
    file: PathBuf,
    /// NAME@VERSION, NAME (on PATH) or NAME=COMMAND, with options after it: "z3@4.8.10 rewriter.flat=false".
    #[arg(long = "solver", short, required = true, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// The answer that is known to be right [default: not known].
    #[arg(long, value_name = "ANSWER")]
    expect: Option<Expected>,
    /// Expect of each check the answer that the (set-info :status …) before it claims [default: statuses are ignored].
    #[arg(long, conflicts_with = "expect")]
    expect_statuses: bool,
    /// Timeout per solver run: 10, 500ms, 1m.
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = seconds)]
    timeout: Duration,
    /// Memory limit per solver run, in megabytes.
    #[arg(long, default_value_t = 4096, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    memory: u64,
    /// Make the solvers check their own answers, those that can.
    #[arg(long)]
    self_check: bool,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
    /// Print the findings as a document for another program, and nothing else.
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<FindingsFormat>,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Reads a span of time above 0: `2`, `500ms`, `1m`.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = time_span::read(text).map_err(|error| error.to_string())?;
    let span = Duration::try_from_secs_f64(seconds).ok().filter(|span| !span.is_zero());
    span.ok_or_else(|| "write a time above 0, such as 500ms, 2s or 1m".to_owned())
}

/// An answer that can be known beforehand.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Expected {
    /// The script is satisfiable.
    Sat,
    /// It is not.
    Unsat,
}

impl Expected {
    /// The word on the command line.
    pub fn name(self) -> &'static str {
        Answer::from(self).name()
    }
}

impl From<Expected> for Answer {
    fn from(expected: Expected) -> Answer {
        match expected {
            Expected::Sat => Answer::Sat,
            Expected::Unsat => Answer::Unsat,
        }
    }
}

/// Runs the command.
pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let bytes = script::bytes(&args.file)?;
    // A script that gainsay cannot parse may still make a solver crash.
    let parsed = script::parse(&args.file, &bytes);
    let text = match &parsed {
        Ok((text, _)) => text.clone(),
        Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let launcher = environment.launcher()?;
    let limits = Limits { wall: args.timeout, memory: Some(args.memory << 20), ..Limits::default() };
    let mut panel = Vec::new();
    let solvers = solver_lookup::find_or_install(&environment, &args.solvers)?;
    solver_lookup::check_distinct(&solvers)?;
    for solver in solvers {
        let solver = if args.self_check { solver.checking_itself().unwrap_or(solver) } else { solver };
        panel.push(open(&solver, &launcher)?);
    }
    let open = |solver: &PanelSolver| Runner::open(&solver.solver, runner::plain(), &launcher);
    let runners = panel.iter().map(open).collect::<Result<_, _>>()?;
    let mut solvers = PlainRunners { runners, limits };
    let script = parsed.as_ref().ok().map(|(_, script)| script);
    let promise = match (args.expect, args.expect_statuses) {
        (Some(expected), _) => Promise::Known(expected.into()),
        (None, true) => Promise::Claimed,
        (None, false) => Promise::Nothing,
    };
    let mut report = Report::make(&panel, &mut solvers, script, &text, promise)?;
    if let Some(prefix) = script::before_error(&text).filter(|_| report.needs_prefix(script)) {
        let of_prefix = Report::before_error(&panel, &mut solvers, &text, &prefix)?;
        if report.findings.is_empty() || !of_prefix.findings.is_empty() {
            report = of_prefix;
        }
    }
    let is_silent = report.findings.is_empty() && !report.is_answered() && !report.is_flaky;
    if let Err(error) = &parsed
        && !is_silent
        && report.error.is_none()
    {
        let remark = format!("gainsay cannot read the script, so models are not checked: {error}");
        report.remarks.insert(0, remark);
    }
    match args.format {
        Some(format) => console::out(report.document(format, &args.file)),
        None => report.show(&panel, args.json),
    }
    match (report.findings.is_empty(), parsed) {
        (true, Err(error)) if is_silent => Err(error),
        (true, Ok((_, script))) if is_silent => {
            script::check_asks(&args.file, &script)?;
            Err(exit::NothingTested(report.silence(&panel)).into())
        }
        (true, _) if report.disproved.is_some() => Ok(ExitCode::from(exit::EXIT_USAGE)),
        (true, _) => Ok(ExitCode::SUCCESS),
        (false, _) => Ok(ExitCode::from(exit::EXIT_FINDINGS)),
    }
}

/// A solver that takes part. One that gainsay did not install is asked first whether it is a solver at all.
fn open(solver: &Solver, launcher: &Launcher) -> anyhow::Result<PanelSolver> {
    let mut version = solver.version.clone();
    if matches!(solver.name.origin, Origin::Path | Origin::Command(_)) {
        runner::answers(solver, launcher, Limits::default())?
            .map_err(|said| exit::NoSolver { name: solver.name.to_string(), said })?;
        version = runner::ask_version(solver, launcher, Limits::default())?;
    }
    let (name, family) = (solver.name.to_string(), solver.profile.family.clone());
    Ok(PanelSolver { solver: solver.clone(), identity: SolverIdentity { name, family, version } })
}

/// A plain process per script for each solver.
struct PlainRunners {
    runners: Vec<Runner>,
    limits: Limits,
}

impl PlainRunners {
    fn run(&mut self, solver: usize, text: &str, ask: Ask) -> Result<Run, RunError> {
        self.runners[solver].run(&Query { script: text, limits: self.limits, ask })
    }
}

impl SolverAccess for PlainRunners {
    fn side_query(&mut self, query: &SideQuery<'_>) -> Option<Run> {
        self.run(query.solver, query.text, query.ask).ok()
    }
}

/// The result of checking a script.
struct Report<'p> {
    session: TrialSession<'p>,
    findings: Vec<Finding>,
    /// The verdicts of oracles without findings.
    remarks: Vec<String>,
    /// Whether an oracle could judge the answers.
    is_decided: bool,
    /// Whether something that looked like a bug did not happen again.
    is_flaky: bool,
    /// Why the expected answer is wrong, if it is.
    disproved: Option<String>,
    /// Why the status that the script claims is wrong, if it is and no answer was expected.
    status_disproved: Option<String>,
    /// The first error of the script, if only the commands before it were judged.
    error: Option<String>,
}

impl<'p> Report<'p> {
    /// Judges the script; what looks like a bug is judged once more.
    fn make(
        panel: &'p [PanelSolver],
        solvers: &mut PlainRunners,
        script: Option<&Script>,
        text: &str,
        promise: Promise,
    ) -> anyhow::Result<Self> {
        let (session, judgement) = judge(panel, solvers, script, text, promise)?;
        let disproved = disproved(&session.trial).map(|proof| promise_disproved("expected answer", proof));
        let status_disproved = match promise {
            Promise::Nothing => status_disproved(&session.trial),
            _ => None,
        };
        let mut report = Report {
            session,
            findings: Vec::new(),
            remarks: Vec::new(),
            is_decided: false,
            is_flaky: false,
            disproved,
            status_disproved,
            error: None,
        };
        for (oracle, verdict) in &judgement.verdicts {
            report.note(oracle, verdict);
        }
        report.findings = judgement.findings;
        if !report.findings.is_empty() {
            let (_, again) = judge(panel, solvers, script, text, promise)?;
            let before = report.findings.len();
            report.findings.retain(|finding| {
                again.findings.iter().any(|other| other.fingerprint == finding.fingerprint)
            });
            if report.findings.len() < before {
                (report.is_decided, report.is_flaky) = (false, true);
                report
                    .remarks
                    .push("what looked like a bug did not happen again in a second run: flaky".to_owned());
            }
        }
        Ok(report)
    }

    /// Returns true if the part before the first error of the script may tell more, by its models and by exhaustion: neither gainsay
    /// nor a solver reads all of it, and no solver crashes.
    fn needs_prefix(&self, script: Option<&Script>) -> bool {
        let statements = &self.session.trial.statements;
        let rejects = |statement: &Statement| {
            statement.trouble.as_ref().is_some_and(|trouble| trouble.kind.is_rejection())
        };
        script.is_none()
            && statements.iter().any(rejects)
            && statements.iter().all(|statement| statement.crash.is_none())
    }

    /// Judges the part of a script before its first error. What is expected of the last check says nothing about earlier ones.
    fn before_error(
        panel: &'p [PanelSolver],
        solvers: &mut PlainRunners,
        text: &str,
        prefix: &ScriptPrefix,
    ) -> anyhow::Result<Self> {
        let part = &text[..prefix.length];
        let mut report = Report::make(panel, solvers, Some(&prefix.script), part, Promise::Nothing)?;
        report.error = Some(prefix.error.to_string());
        Ok(report)
    }

    fn note(&mut self, oracle: &str, verdict: &Verdict) {
        match verdict {
            Verdict::Fine => {
                // That no solver crashed says nothing of the answers, and without an answer there is nothing to judge.
                let says =
                    |one: &Statement| one.counts() && !(one.votes.is_empty() && one.replies.is_empty());
                let has_votes = self.session.trial.statements.iter().any(says);
                let judges_answers = oracle != gainsay_engine::oracle::Oracle::name(&crash::CrashOracle);
                self.is_decided |= has_votes && judges_answers;
                self.remarks.push(format!("{oracle}: fine"));
            }
            Verdict::Undecided(why) => self.remarks.push(format!("{oracle}: undecided: {why}")),
            Verdict::Ask(_) | Verdict::Bug(_) => {}
        }
    }

    /// Returns true if a solver answered a question of the script, and its answer counts. After a rejected command, for instance, it
    /// does not: it may be about another script.
    fn is_answered(&self) -> bool {
        let has_replied = |one: &Statement| {
            one.replies.iter().any(|reply| !matches!(reply.judgement, ReplyCheck::Unclear(_)))
        };
        let says = |one: &Statement| one.counts() && !one.votes.is_empty() || has_replied(one);
        self.session.trial.statements.iter().any(says)
    }

    /// Why no solver answered, or why no answer counts.
    fn silence(&self, panel: &[PanelSolver]) -> String {
        let reason = |SolverRun { solver, run, .. }: &SolverRun| {
            let name = &panel[*solver].identity.name;
            let silence = self.session.trial.statements.iter().find(|one| one.solver.name == *name);
            let silence = silence.and_then(|one| one.silence.as_ref()).map(Silence::why);
            let trouble = run.trouble.as_ref().map(ToString::to_string);
            format!("{name}: {}", silence.or(trouble).unwrap_or_else(|| "no output".to_owned()))
        };
        let reasons: Vec<String> = self.session.runs.iter().map(reason).collect();
        let has_output = self.session.runs.iter().any(|run| !run.run.answers.is_empty());
        let what = if has_output { "no answer of a solver counts" } else { "no solver answered" };
        format!("{what}, so nothing was checked: {}", reasons.join("; "))
    }

    fn verdict(&self) -> &'static str {
        match (self.findings.is_empty(), self.is_decided) {
            (false, _) => "bug",
            (true, _) if self.disproved.is_some() => "expectation disproved",
            (true, _) if self.status_disproved.is_some() => "status disproved",
            (true, true) => "fine",
            (true, false) => "undecided",
        }
    }

    /// The runs, each with the statement that it makes.
    fn runs(&self) -> impl Iterator<Item = (&SolverRun, &Statement)> {
        self.session.runs.iter().zip(&self.session.trial.statements)
    }

    fn document(&self, format: FindingsFormat, file: &Path) -> String {
        let findings = self.findings.iter().map(|finding| DocumentedFinding::of(finding, file.to_owned()));
        format.document("gainsay check", &findings.collect::<Vec<_>>())
    }

    fn show(&self, panel: &[PanelSolver], json: bool) {
        if json {
            json::print(&CheckedScript {
                verdict: self.verdict(),
                findings: &self.findings,
                runs: self.runs().map(|(run, statement)| describe(panel, run, statement)).collect(),
                disproved: self.disproved.as_deref(),
                status_disproved: self.status_disproved.as_deref(),
                error: self.error.as_deref(),
                exhaustion: &self.session.trial.exhaustion,
            });
            return;
        }
        for (SolverRun { solver, run, .. }, statement) in self.runs() {
            let trouble = run.trouble.as_ref().map(|trouble| format!("  {trouble}")).unwrap_or_default();
            console::out(format_args!(
                "{:<24} {:<10} {:>8.3} s CPU{trouble}",
                panel[*solver].identity.name,
                answers(run),
                run.cpu.as_secs_f64()
            ));
            for removed in &run.removed {
                console::out(format_args!("  not sent: {}: {}", removed.command, removed.why));
            }
            if let Some(why) = excuse(statement) {
                console::out(format_args!("  its answers are compared with nothing: {why}"));
            }
            for remark in &run.remarks {
                let line = remark.lines().map(str::trim).collect::<Vec<_>>().join(" ");
                console::out(format_args!("  ignores an option: {line}"));
            }
        }
        for (question, exact) in self.session.trial.exhaustion.iter().enumerate() {
            let place = if self.session.trial.questions.len() == 1 {
                String::new()
            } else {
                format!(" {}", question + 1)
            };
            let answer = exact.answer.map_or("undecided", |answer| answer.name());
            console::out(format_args!("exhaustion{place}: {answer}: {}", exact.reason()));
        }
        self.remarks.iter().for_each(console::out);
        self.status_disproved.iter().for_each(console::out);
        if let Some(error) = &self.error {
            console::out(format_args!("only the commands before this error were judged: {error}"));
        }
        self.findings.iter().for_each(console::out);
        let is_clean =
            self.findings.is_empty() && self.disproved.is_none() && self.status_disproved.is_none();
        let colour = match (is_clean, self.is_decided) {
            (false, _) => LineColour::Red,
            (true, true) => LineColour::Green,
            (true, false) => LineColour::Yellow,
        };
        console::out_in(colour, format_args!("verdict: {}", self.verdict()));
    }
}

/// The proof that contradicts the expected answer of a question, if there is one.
fn disproved(trial: &Trial) -> Option<Proof<'_>> {
    (0..trial.answered()).find_map(|question| match VoteCount::of(trial, question).outcome() {
        VoteOutcome::PromiseDisproved(proof) => Some(proof),
        _ => None,
    })
}

/// Why the status that the script claims of one of its checks is wrong, if a proof contradicts it.
fn status_disproved(trial: &Trial) -> Option<String> {
    let mut claimed = trial.clone();
    claimed.questions = Trial::new(trial.script.clone(), trial.text.as_str(), Promise::Claimed).questions;
    disproved(&claimed).map(|proof| promise_disproved("claimed status", proof))
}

/// Runs every solver on the script, and lets the oracles judge their answers.
fn judge<'p>(
    panel: &'p [PanelSolver],
    solvers: &mut PlainRunners,
    script: Option<&Script>,
    text: &str,
    promise: Promise,
) -> anyhow::Result<(TrialSession<'p>, Judgement)> {
    let mut session = TrialSession::new(panel, script.cloned(), text, promise, ModelPolicy::All)
        .with_exhaustion_steps(SINGLE_SCRIPT_STEPS);
    for (solver, member) in panel.iter().enumerate() {
        let run = solvers.run(solver, text, Ask::ANSWERS_ONLY)?;
        if let Some(Trouble { kind: TroubleKind::UsageError, said }) = &run.trouble {
            let name = member.identity.name.clone();
            return Err(exit::BadOptions { name, said: said.clone() }.into());
        }
        let excuse = member.excuse(text);
        let text = text.into();
        session.add(SolverRun { solver, options: Vec::new(), text, excuse, asked_model: false, run });
    }
    let judgement = session.judge(&mut Vec::new(), solvers);
    Ok((session, judgement))
}

fn answers(run: &Run) -> String {
    match run.answers.is_empty() {
        true => "-".to_owned(),
        false => run.answers.iter().map(|answer| answer.name()).collect::<Vec<_>>().join(" "),
    }
}

/// Why the answers of a solver are compared with nothing, if so.
fn excuse(statement: &Statement) -> Option<&str> {
    match &statement.silence {
        Some(Silence::Excused(why)) => Some(why),
        _ => None,
    }
}

fn describe(
    panel: &[PanelSolver],
    SolverRun { solver, run, .. }: &SolverRun,
    statement: &Statement,
) -> CheckRun {
    let identity = &panel[*solver].identity;
    CheckRun {
        solver: identity.name.clone(),
        version: identity.version.clone(),
        answers: run.answers.iter().map(|answer| answer.name()).collect(),
        exit: run.exit.to_string(),
        cpu_seconds: run.cpu.as_secs_f64(),
        not_sent: run.removed.iter().map(|removed| removed.command.clone()).collect(),
        trouble: run.trouble.clone(),
        excused: excuse(statement).map(str::to_owned),
    }
}
