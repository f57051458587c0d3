//! `gainsay check FILE --solver S…`: all oracles on one script, and why they say what they say.
//!
//! Every solver is run by the plain driver, a fresh process each, as its users run it. What looks like a bug is run once
//! more, and only what repeats is reported.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use gainsay_engine::bounded;
use gainsay_engine::oracle::witness::clauses;
use gainsay_engine::oracle::{
    self, Derivation, Finding, Observation, Oracle, Promise, Request, Search, Sight, Subject, Verdict,
    Witness,
};
use gainsay_engine::solver::name::Origin;
use gainsay_engine::solver::outline::{outline, up_to_check};
use gainsay_engine::solver::profile::Excuse;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Runner, Setting};
use gainsay_engine::solver::trouble::{Trouble, TroubleKind};
use gainsay_engine::solver::version::Version;
use gainsay_smt::{Script, Signature};
use serde_json::{Value, json};

use crate::environment::{Environment, SandboxArgs};
use crate::exit;
use crate::{say, supply};

const EXAMPLES: &str = "Examples:
  gainsay check bug.smt2 --solver z3@latest --solver cvc5@latest
  gainsay check bug.smt2 --solver z3@5.4.0 --solver \"z3@5.4.0 rewriter.flat=false\"
  gainsay check bug.smt2 --solver z3=./build/z3 --expect unsat --timeout 2
  gainsay check bug.smt2 --solver z3 --self-check --json

The exit code is 0 if nothing was found, 10 if something was, 4 if a solver cannot run.";

/// Arguments of `gainsay check`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    /// The script.
    file: PathBuf,
    /// NAME@VERSION, NAME (on PATH) or NAME=COMMAND, with options after it: "z3@4.8.10 rewriter.flat=false".
    #[arg(long = "solver", short, required = true, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// The answer that is known to be right.
    #[arg(long, value_name = "ANSWER")]
    expect: Option<Expected>,
    /// Seconds that each solver may take.
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = seconds)]
    timeout: Duration,
    /// Megabytes that each solver may use.
    #[arg(long, default_value_t = 4096, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    memory: u64,
    /// Make the solvers check their own answers, those that can.
    #[arg(long)]
    self_check: bool,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Reads a number of seconds above 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|seconds| !seconds.is_zero()).ok_or_else(|| "write a number of seconds above 0".to_owned())
}

/// An answer that can be known beforehand.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Expected {
    /// The script is satisfiable.
    Sat,
    /// It is not.
    Unsat,
}

impl From<Expected> for Answer {
    fn from(expected: Expected) -> Answer {
        match expected {
            Expected::Sat => Answer::Sat,
            Expected::Unsat => Answer::Unsat,
        }
    }
}

/// A solver that takes part.
struct Party {
    runner: Runner,
    subject: Subject,
    excuse: Option<String>,
    /// The models that it was asked for.
    witnesses: Vec<Witness>,
}

/// Runs the command.
pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let bytes = bounded::read(&args.file, bounded::SCRIPT)
        .map_err(|source| exit::NoInput { path: args.file.clone(), source })?;
    let script = String::from_utf8_lossy(&bytes).into_owned();
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let setting = environment.setting()?;
    let limits = Limits { wall: args.timeout, memory: Some(args.memory << 20), ..Limits::default() };
    let mut parties = Vec::new();
    for solver in supply::solvers(&environment, &args.solvers)? {
        let solver = if args.self_check { solver.checking_itself().unwrap_or(solver) } else { solver };
        parties.push(Party::invite(&solver, &setting, &script)?);
    }
    let promise = args.expect.map_or(Promise::Nothing, |expected| Promise::Known(expected.into()));
    let query = Query { script: &script, limits, ask: Ask::NOTHING };
    let report = Report::make(&mut parties, &query, promise)?;
    report.show(&parties, args.json);
    Ok(ExitCode::from(if report.findings.is_empty() { 0 } else { exit::FINDINGS }))
}

impl Party {
    /// Opens a solver; one that is not managed by us is asked first whether it is a solver at all.
    fn invite(solver: &Solver, setting: &Setting, script: &str) -> anyhow::Result<Self> {
        let mut version = solver.version.clone();
        if matches!(solver.name.origin, Origin::Path | Origin::Command(_)) {
            runner::answers(solver, setting, Limits::default())?
                .map_err(|said| exit::NoSolver { name: solver.name.to_string(), said })?;
            version = runner::ask_version(solver, setting, Limits::default())?;
        }
        let excuse = excuse(solver, script, version.as_ref());
        let subject =
            Subject { name: solver.name.to_string(), family: solver.profile.family.clone(), version };
        let runner = Runner::open(solver, runner::plain(), setting)?;
        Ok(Party { runner, subject, excuse, witnesses: Vec::new() })
    }
}

impl Party {
    /// Asks for the model at one check of the script.
    fn testify(&mut self, query: &Query<'_>, check: usize) -> anyhow::Result<()> {
        let text = up_to_check(query.script, check);
        let run =
            text.map(|script| self.runner.run(&Query { script, ask: Ask::MODEL, ..*query })).transpose()?;
        let profile = &self.runner.solver().profile;
        let version = self.subject.version.as_ref();
        self.witnesses.push(Witness::asked(profile, version, query.script, check, run));
        Ok(())
    }

    /// What it does with another text.
    fn aside(&mut self, query: &Query<'_>, text: &str, ask: Ask) -> Option<Run> {
        self.runner.run(&Query { script: text, ask, ..*query }).ok()
    }
}

/// Has the model that a solver gave last checked clause by clause, if it is one of Horn clauses: by another code base, or by
/// who gave it.
fn check_clauses(parties: &mut [Party], run: usize, query: &Query<'_>, script: Option<&Script>) {
    let Some(script) = script.filter(|script| script.is_horn()) else { return };
    let model = parties[run].witnesses.last().and_then(|witness| witness.model.clone());
    let Some(model) = model else { return };
    let family = parties[run].subject.family.clone();
    let other = (0..parties.len()).find(|&party| parties[party].subject.family != family);
    let found = other.into_iter().chain([run]).find_map(|party| {
        let party = &mut parties[party];
        let family = party.subject.family.clone();
        clauses::check(script, &model, &family, &mut |text, ask| party.aside(query, text, ask))
    });
    if let Some(witness) = parties[run].witnesses.last_mut() {
        witness.clauses = found;
    }
}

/// A derivation of `false` that one of the solvers finds.
fn derive(parties: &mut [Party], query: &Query<'_>, script: Option<&Script>) -> Option<Derivation> {
    let script = script?;
    parties
        .iter_mut()
        .find_map(|party| clauses::derive(script, &mut |text, ask| party.aside(query, text, ask)))
}

/// What may change the solver's answers to this script without being a bug.
fn excuse(solver: &Solver, script: &str, version: Option<&Version>) -> Option<String> {
    let mut quirks = solver.profile.quirks(script, version);
    quirks.find(|quirk| quirk.excuses == Excuse::Answers).map(|quirk| quirk.what.clone())
}

/// What came of it.
struct Report {
    runs: Vec<Run>,
    findings: Vec<Finding>,
    /// What the oracles that found nothing say.
    remarks: Vec<String>,
    /// Whether an oracle could judge the answers.
    decided: bool,
}

impl Report {
    fn make(parties: &mut [Party], query: &Query<'_>, promise: Promise) -> anyhow::Result<Self> {
        let script = Script::parse(query.script, &Signature::standard()).ok();
        let mut report = Report::judge(parties, query, script.as_ref(), promise)?;
        if !report.findings.is_empty() {
            let again = Report::judge(parties, query, script.as_ref(), promise)?;
            let before = report.findings.len();
            report.findings.retain(|finding| {
                again.findings.iter().any(|other| other.fingerprint == finding.fingerprint)
            });
            if report.findings.len() < before {
                report.decided = false;
                report
                    .remarks
                    .push("what looked like a bug did not happen again in a second run: flaky".to_owned());
            }
        }
        Ok(report)
    }

    /// Runs the solvers, and asks them for models as long as an oracle wants one.
    fn judge(
        parties: &mut [Party],
        query: &Query<'_>,
        script: Option<&Script>,
        promise: Promise,
    ) -> anyhow::Result<Self> {
        let runs = run_all(parties, query)?;
        let questions = outline(query.script).questions();
        for (party, run) in parties.iter_mut().zip(&runs) {
            party.witnesses.clear();
            party.excuse = party.excuse.take().or_else(|| run.mismatch(questions));
        }
        let mut report = Report { runs, findings: Vec::new(), remarks: Vec::new(), decided: false };
        let mut sought = None;
        for oracle in oracle::ALL {
            let verdict = loop {
                let sight = |(party, run)| sight(party, run);
                let sights: Vec<Sight<'_>> = parties.iter().zip(&report.runs).map(sight).collect();
                let derivation = match &sought {
                    None => Search::NotYet,
                    Some(None) => Search::Nothing,
                    Some(Some(found)) => Search::Found(found),
                };
                let made_for = None;
                let verdict = oracle.judge(&Observation {
                    script,
                    promise,
                    made_for,
                    derivation,
                    runs: &sights,
                    spare: &[],
                });
                let Verdict::Ask(requests) = verdict else { break verdict };
                drop(sights);
                for request in requests {
                    match request {
                        Request::Model { run, check } => {
                            parties[run].testify(query, check)?;
                            check_clauses(parties, run, query, script);
                        }
                        Request::Derivation => sought = Some(derive(parties, query, script)),
                        Request::Solver(_) => {}
                    }
                }
            };
            report.note(*oracle, verdict);
        }
        Ok(report)
    }

    fn note(&mut self, oracle: &dyn Oracle, verdict: Verdict) {
        match verdict {
            Verdict::Fine => {
                // That nobody crashed says nothing of the answers.
                self.decided |= oracle.name() != oracle::crash::Crash.name();
                self.remarks.push(format!("{}: fine", oracle.name()));
            }
            Verdict::Undecided(why) => self.remarks.push(format!("{}: undecided: {why}", oracle.name())),
            Verdict::Ask(_) => unreachable!("what was asked for was given"),
            Verdict::Bug(findings) => self.findings.extend(findings),
        }
    }

    fn verdict(&self) -> &'static str {
        match (self.findings.is_empty(), self.decided) {
            (false, _) => "bug",
            (true, true) => "fine",
            (true, false) => "undecided",
        }
    }

    fn show(&self, parties: &[Party], json: bool) {
        if json {
            let runs: Vec<Value> =
                parties.iter().zip(&self.runs).map(|(party, run)| describe(party, run)).collect();
            say::out(json!({ "verdict": self.verdict(), "findings": self.findings, "runs": runs }));
            return;
        }
        for (party, run) in parties.iter().zip(&self.runs) {
            let trouble = run.trouble.as_ref().map(|trouble| format!("  {trouble}")).unwrap_or_default();
            say::out(format_args!(
                "{:<24} {:<10} {:>8.3} s CPU{trouble}",
                party.subject.name,
                answers(run),
                run.cpu.as_secs_f64()
            ));
            for removed in &run.removed {
                say::out(format_args!("  not sent: {}: {}", removed.command, removed.why));
            }
            for remark in &run.remarks {
                let line = remark.lines().next().unwrap_or_default();
                say::out(format_args!("  says of an option that it does not have: {line}"));
            }
        }
        self.remarks.iter().for_each(say::out);
        self.findings.iter().for_each(say::out);
        say::out(format_args!("verdict: {}", self.verdict()));
    }
}

fn sight<'a>(party: &'a Party, run: &'a Run) -> Sight<'a> {
    Sight { subject: &party.subject, run, excuse: party.excuse.as_deref(), witnesses: &party.witnesses }
}

fn run_all(parties: &mut [Party], query: &Query<'_>) -> anyhow::Result<Vec<Run>> {
    let one = |party: &mut Party| {
        let run = party.runner.run(query)?;
        match &run.trouble {
            Some(Trouble { kind: TroubleKind::UsageError, said }) => {
                Err(exit::BadOptions { name: party.subject.name.clone(), said: said.clone() }.into())
            }
            _ => Ok(run),
        }
    };
    parties.iter_mut().map(one).collect()
}

fn answers(run: &Run) -> String {
    match run.answers.is_empty() {
        true => "-".to_owned(),
        false => run.answers.iter().map(|answer| answer.name()).collect::<Vec<_>>().join(" "),
    }
}

fn describe(party: &Party, run: &Run) -> Value {
    let answers: Vec<&str> = run.answers.iter().map(|answer| answer.name()).collect();
    json!({
        "solver": party.subject.name,
        "version": party.subject.version,
        "answers": answers,
        "exit": run.exit.to_string(),
        "cpu_seconds": run.cpu.as_secs_f64(),
        "not_sent": run.removed.iter().map(|removed| &removed.command).collect::<Vec<_>>(),
        "trouble": run.trouble.as_ref().map(|trouble| json!({ "kind": trouble.kind, "said": trouble.said })),
    })
}
