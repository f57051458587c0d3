//! The property that a reduction keeps: the most severe finding of some solvers, or the behaviour of a command. The
//! script must show it on every run.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use gainsay_engine::finding::Finding;
use gainsay_engine::known_answers::KnownAnswers;
use gainsay_engine::reduce::{self, ReducedText, ReductionEnd};
use gainsay_engine::session::panel::PanelSolver;
use gainsay_engine::solver::process::RunError;
use gainsay_engine::solver::run::{Exit, Limits};
use gainsay_engine::solver::runner::Launcher;
use gainsay_engine::triage::command::{Behaviour, ComparedOutputs, Stream, UserCommand};
use gainsay_engine::triage::finding_persists::{ScriptSpelling, SolverPanel};
use gainsay_engine::triage::options;
use gainsay_smt::Script;

use super::{ReduceArgs, ReductionInput, ReductionJob, Reproduction};
use crate::environment::Environment;
use crate::exit::{NoCommand, UsageError};
use crate::{console, solver_lookup};

/// Runs in a row that must show a finding before the reduction starts.
const CONFIRMATION_RUNS: usize = 3;
/// A script that shows no finding.
const TRIVIAL_SCRIPT: &str = "(check-sat)\n";
/// Delay before printing what gainsay is waiting for.
const WAIT_NOTICE_DELAY: Duration = Duration::from_secs(1);

/// Reduces a script while it shows the most severe finding of the solvers.
pub fn by_solvers(
    args: &ReduceArgs,
    work: &ReductionJob,
    script: &Script,
    known: &KnownAnswers,
) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let launcher = environment.launcher()?;
    let solvers = solver_lookup::find_or_install(&environment, &args.solvers)?;
    solver_lookup::check_distinct(&solvers)?;
    let team =
        solvers.iter().map(|solver| PanelSolver::open(solver, &launcher)).collect::<Result<Vec<_>, _>>()?;
    let limits = Limits { wall: args.timeout, memory: Some(args.memory << 20), ..Limits::default() };
    let names: Vec<String> = solvers.iter().map(|solver| solver.name.to_string()).collect();
    let names = names.join(", ");
    let line = format!(
        "asking {names} about {}, each for at most {:.0} s",
        args.file.display(),
        args.timeout.as_secs_f64().ceil()
    );
    for spelling in [ScriptSpelling::AsItIs, ScriptSpelling::Prepared] {
        let settings = PanelSettings { launcher: &launcher, limits, spelling, known };
        let panel = settings.panel(&team, script);
        let text = &work.text;
        let Some(target) = worst(waiting(&line, || panel.findings(script, text)).map_err(UsageError)?) else {
            continue;
        };
        console::progress(format_args!("keeping {target}"));
        let (fewer, renamed) = settings.without_options(&team, &target, script)?;
        if renamed.suspects == target.suspects {
            return settings.reduce(args, work, script, &panel, &target);
        }
        let panel = settings.panel(&fewer, script);
        // This run also measures how long the solvers take.
        panel.findings(script, text).map_err(UsageError)?;
        return settings.reduce(args, work, script, &panel, &renamed);
    }
    let line =
        format!("{} shows no bug of {names}; `gainsay check` prints their answers", args.file.display(),);
    Err(UsageError(line).into())
}

/// How the solvers run: launcher, limits and spelling of scripts; and the answers that are known.
struct PanelSettings<'a> {
    launcher: &'a Launcher,
    limits: Limits,
    spelling: ScriptSpelling,
    known: &'a KnownAnswers,
}

impl PanelSettings<'_> {
    fn panel<'c>(&'c self, team: &'c [PanelSolver], script: &Script) -> SolverPanel<'c> {
        SolverPanel::new(team, self.launcher, self.limits, self.spelling, script).knowing(self.known.clone())
    }

    fn reduce(
        &self,
        args: &ReduceArgs,
        work: &ReductionJob,
        script: &Script,
        panel: &SolverPanel<'_>,
        target: &Finding,
    ) -> anyhow::Result<ExitCode> {
        let text = &work.text;
        let question = panel.question(script, text, target.clone()).map_err(UsageError)?;
        let (mut seen, mut took) = (0, Duration::ZERO);
        for _ in 1..CONFIRMATION_RUNS {
            let begin = Instant::now();
            seen += usize::from(question.confirms(script, text).map_err(UsageError)?);
            took = took.max(begin.elapsed());
        }
        if seen + 1 < CONFIRMATION_RUNS {
            let line = format!(
                "{} is flaky: it showed this in {} of {CONFIRMATION_RUNS} runs; only findings that repeat can be reduced",
                args.file.display(),
                seen + 1
            );
            return Err(UsageError(line).into());
        }
        let reduced = work.reduce(script, &question, took)?;
        let (team, target) = match reduced.end {
            ReductionEnd::Done => self.without_options(panel.solvers(), target, &reduced.script)?,
            // A user who stopped the reduction does not wait for more runs.
            ReductionEnd::Stopped | ReductionEnd::TestFailed(_) => (panel.solvers().to_vec(), target.clone()),
        };
        let marked = (!self.known.is_empty()).then(|| self.known.with_statuses(&reduced.script));
        let mut result = ReducedText::from(reduced);
        if let Some(text) = marked {
            work.write(&text)?;
            result.text = text;
        }
        Ok(work.conclude(&result, &self.again(&team, &target, &result.text, work)))
    }

    /// The solvers, with only those options that the finding needs.
    fn without_options(
        &self,
        team: &[PanelSolver],
        target: &Finding,
        script: &Script,
    ) -> Result<(Vec<PanelSolver>, Finding), UsageError> {
        let text = script.to_string();
        let shows = |team: &[PanelSolver], target: &Finding| {
            let findings = self.panel(team, script).findings(script, &text)?;
            Ok(findings.iter().any(|finding| is_no_weaker(finding, target)))
        };
        options::fewer(team, target, shows).map_err(UsageError)
    }

    fn again(
        &self,
        team: &[PanelSolver],
        target: &Finding,
        script: &str,
        work: &ReductionJob,
    ) -> Reproduction {
        let solvers: Vec<String> = team.iter().map(|member| member.identity.name.clone()).collect();
        let out = work.out.display().to_string();
        let suspects = target.suspects.iter();
        let commands = suspects.filter_map(|suspect| team.iter().find(|one| one.identity.name == suspect));
        let commands = commands.map(|member| match member.command(&[], script, self.launcher) {
            command if target.needs_model => asking_for_model(&command, &out, member),
            command if command.contains("case.smt2") => command.replace("case.smt2", &out),
            command => format!("{command} < {out}"),
        });
        let command = commands.collect::<Vec<_>>().join("; ");
        Reproduction { solvers, command }
    }
}

/// The command line that runs a script and asks for the model after it.
fn asking_for_model(command: &str, out: &str, member: &PanelSolver) -> String {
    let Some(models) = &member.solver.profile.models else { return format!("{command} < {out}") };
    let command = [&[command.to_owned()], &models.arguments[..]].concat().join(" ");
    let said = |text: &str| if text.is_empty() { String::new() } else { format!("echo '{text}'; ") };
    let both = format!("{{ {}cat {out}; {}}}", said(&models.head), said(&models.ask));
    match command.contains("case.smt2") {
        true => format!("{both} > case.smt2; {command}"),
        false => format!("{both} | {command}"),
    }
}

/// Runs `work`, and prints `line` if it takes longer than `WAIT_NOTICE_DELAY`.
fn waiting<T>(line: &str, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, waits) = mpsc::channel::<()>();
        scope.spawn(move || {
            if waits.recv_timeout(WAIT_NOTICE_DELAY) == Err(mpsc::RecvTimeoutError::Timeout) {
                console::err(line);
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Returns true if a finding is the same as the target, with evidence at least as strong.
fn is_no_weaker(finding: &Finding, target: &Finding) -> bool {
    finding.is_same_or_simpler(target) && finding.evidence >= target.evidence
}

/// The most severe finding; of those, the one with the strongest evidence.
fn worst(findings: Vec<Finding>) -> Option<Finding> {
    findings.into_iter().min_by_key(|finding| (finding.kind.severity(), std::cmp::Reverse(finding.evidence)))
}

/// Reduces a script while a command behaves the same on it.
pub fn by_command(
    args: &ReduceArgs,
    work: &ReductionJob,
    input: &ReductionInput,
) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let launcher = environment.launcher()?;
    let (program, arguments) = args.command.split_first().expect("there is a command");
    let program = find(program, &environment.path)?;
    let limits = Limits { wall: args.timeout, memory: Some(args.memory << 20), ..Limits::default() };
    let command = UserCommand::new(program, arguments, &launcher, limits, compare(args));
    let text = &work.text;
    // The first run may take as long as many later ones, so the next queries run beside it.
    let (first, (nothing, ahead)) =
        both(|| command.run(text), || (command.run(TRIVIAL_SCRIPT), ahead(&command, input)));
    let (mut first, nothing, mut ahead) = (first?, nothing?, ahead?);
    if command.is_same(&first, &nothing) {
        // A command with its own timeout may behave differently when no other process runs beside it.
        first = command.run(text)?;
        ahead.clear();
    }
    check(args, &command, &first, &nothing)?;
    let took = first.took;
    console::progress(format_args!("keeping {}", describe(&first)));
    let question = command.question((text, first.clone()), ahead);
    let reduced: ReducedText = match input {
        ReductionInput::Script(script) => work.reduce(script, &question, took)?.into(),
        ReductionInput::Text(_, error) => {
            console::err(format_args!(
                "{}: {error}; the file is reduced as a tree of parentheses",
                args.file.display()
            ));
            work.reduce_text(&question, took)?
        }
    };
    if question.is_flaky() {
        // The script written so far is not a result.
        let _ = std::fs::remove_file(&work.out);
        let line = format!(
            "{} is flaky: the command behaves differently from run to run; if only its output differs, try --ignore-output",
            args.file.display()
        );
        return Err(UsageError(line).into());
    }
    if reduced.end == ReductionEnd::Done {
        confirm(args, work, &command, &first, &reduced.text)?;
    }
    let again = Reproduction {
        solvers: Vec::new(),
        command: format!("{} {}", args.command.join(" "), work.out.display()),
    };
    Ok(work.conclude(&reduced, &again))
}

/// Runs the command on the reducer's first candidate.
fn ahead(command: &UserCommand, input: &ReductionInput) -> Result<Vec<(Arc<str>, Behaviour)>, RunError> {
    let ReductionInput::Script(script) = input else { return Ok(Vec::new()) };
    reduce::first_candidate(script)
        .map(|text| Ok((Arc::clone(&text), command.run(&text)?)))
        .into_iter()
        .collect()
}

/// Runs the command on the result once more: for a small script that takes little time.
fn confirm(
    args: &ReduceArgs,
    work: &ReductionJob,
    command: &UserCommand,
    first: &Behaviour,
    text: &str,
) -> anyhow::Result<()> {
    if command.is_same(&command.run(text)?, first) {
        return Ok(());
    }
    let line = format!(
        "{} is flaky: the command behaved the same on {} once, but not on every run",
        args.file.display(),
        work.out.display()
    );
    Err(UsageError(line).into())
}

/// Runs two closures at the same time.
fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        (one, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Refuses a command that behaves the same on every script, or that a limit ended.
fn check(
    args: &ReduceArgs,
    command: &UserCommand,
    first: &Behaviour,
    nothing: &Behaviour,
) -> anyhow::Result<()> {
    let usage = |line: String| Err(UsageError(line).into());
    let file = args.file.display();
    match first.exit {
        Exit::WallLimit | Exit::CpuLimit => {
            return usage(format!(
                "the command takes longer than {:.1} s with {file}; raise --timeout",
                args.timeout.as_secs_f64()
            ));
        }
        Exit::MemoryLimit | Exit::OutputLimit => {
            return usage(format!("the command runs into the {} with {file}; raise --memory", first.exit));
        }
        Exit::Code(_) | Exit::Signal(_) => {}
    }
    // The first run must match its own conditions.
    if !command.is_same(first, first) {
        return usage(format!(
            "the output of the command for {file} does not contain the text of --match-out or --match-err: it {}",
            describe(first)
        ));
    }
    if !command.is_same(nothing, first) || !command.is_same(&command.run("")?, first) {
        return Ok(());
    }
    usage(format!(
        "the command behaves the same on {file} and on an empty script ({}), so the reduction has nothing to preserve; its exit code or its output must differ",
        describe(first)
    ))
}

fn describe(behaviour: &Behaviour) -> String {
    let text = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).lines().next().unwrap_or_default().chars().take(60).collect::<String>()
    };
    let end = match behaviour.exit {
        Exit::Code(code) => format!("ends with exit code {code}"),
        other => format!("ends by {other}"),
    };
    match (text(&behaviour.output), text(&behaviour.errors)) {
        (output, _) if !output.is_empty() => format!("{end} and says `{output}`"),
        (_, errors) if !errors.is_empty() => format!("{end} and says `{errors}`"),
        _ => end,
    }
}

fn compare(args: &ReduceArgs) -> ComparedOutputs {
    let stream = |ignored: bool, text: &Option<String>| match text {
        Some(text) => Stream::Holds(text.clone()),
        None if ignored || args.ignore_output => Stream::Ignored,
        None => Stream::Equal,
    };
    // A condition on one stream makes the other stream irrelevant.
    let matching = args.match_out.is_some() || args.match_err.is_some();
    ComparedOutputs {
        output: stream(args.ignore_out || matching, &args.match_out),
        errors: stream(args.ignore_err || matching, &args.match_err),
    }
}

/// The program of a command: a path, or a name on PATH.
fn find(program: &str, path: &[PathBuf]) -> anyhow::Result<PathBuf> {
    let missing = |why: &str| NoCommand { program: program.to_owned(), why: why.to_owned() };
    if program.contains('/') {
        let absolute = std::path::absolute(program)?;
        return if absolute.is_file() { Ok(absolute) } else { Err(missing("there is no such file").into()) };
    }
    let found = path.iter().map(|folder| folder.join(program)).find(|candidate| candidate.is_file());
    found.ok_or_else(|| missing("it is not on PATH; write ./NAME for a file of the current folder").into())
}
