//! What a reduction keeps: the worst finding of some solvers, or the behaviour of a command. The script must show it, every time.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use gainsay_engine::finding::Finding;
use gainsay_engine::reduce::{self, ReductionEnd};
use gainsay_engine::solver::process::RunError;
use gainsay_engine::solver::run::{Exit, Limits};
use gainsay_engine::solver::runner::Setting;
use gainsay_engine::triage::command::{Behaviour, ComparedOutputs, Stream, UserCommand};
use gainsay_engine::triage::finding_persists::{ScriptSpelling, SolverPanel};
use gainsay_engine::triage::options;
use gainsay_engine::trial::panel::PanelSolver;
use gainsay_smt::Script;

use super::{ReduceArgs, ReductionJob, Reproduction};
use crate::environment::Environment;
use crate::exit::{NoCommand, Usage};
use crate::{console, solver_lookup};

/// How often the script must show a finding before anything is tried.
const TIMES: usize = 3;
/// A script that shows nothing.
const NOTHING: &str = "(check-sat)\n";
/// How long nobody is told what is waited for.
const WHILE: Duration = Duration::from_secs(1);

/// Keeps the worst finding of the solvers.
pub fn by_solvers(args: &ReduceArgs, work: &ReductionJob) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let setting = environment.setting()?;
    let solvers = solver_lookup::find_or_install(&environment, &args.solvers)?;
    let team =
        solvers.iter().map(|solver| PanelSolver::invite(solver, &setting)).collect::<Result<Vec<_>, _>>()?;
    let limits = Limits { wall: args.timeout, memory: Some(args.memory << 20), ..Limits::default() };
    let names: Vec<String> = solvers.iter().map(|solver| solver.name.to_string()).collect();
    let names = names.join(", ");
    let line = format!(
        "asking {names} about {}, each for at most {:.0} s",
        args.file.display(),
        args.timeout.as_secs_f64().ceil()
    );
    for spelling in [ScriptSpelling::AsItIs, ScriptSpelling::Prepared] {
        let bar = Bar { setting: &setting, limits, spelling };
        let court = bar.court(&team, &work.script);
        let text = work.script.to_string();
        let Some(target) = worst(waiting(&line, || court.findings(&work.script, &text)).map_err(Usage)?)
        else {
            continue;
        };
        console::err(format_args!("keeping {target}"));
        let (fewer, renamed) = bar.without_options(&team, &target, &work.script)?;
        if renamed.suspects == target.suspects {
            return bar.reduce(args, work, &court, &target);
        }
        let court = bar.court(&fewer, &work.script);
        // It times the solvers, too.
        court.findings(&work.script, &text).map_err(Usage)?;
        return bar.reduce(args, work, &court, &renamed);
    }
    let line = format!(
        "{} shows nothing wrong with {names}; `gainsay check` says what they answer",
        args.file.display(),
    );
    Err(Usage(line).into())
}

/// How solvers are asked.
struct Bar<'a> {
    setting: &'a Setting,
    limits: Limits,
    spelling: ScriptSpelling,
}

impl Bar<'_> {
    fn court<'c>(&'c self, team: &'c [PanelSolver], script: &Script) -> SolverPanel<'c> {
        SolverPanel::new(team, self.setting, self.limits, self.spelling, script)
    }

    fn reduce(
        &self,
        args: &ReduceArgs,
        work: &ReductionJob,
        court: &SolverPanel<'_>,
        target: &Finding,
    ) -> anyhow::Result<ExitCode> {
        let text = work.script.to_string();
        let question = court.question(&work.script, &text, target.clone()).map_err(Usage)?;
        let (mut seen, mut took) = (0, Duration::ZERO);
        for _ in 1..TIMES {
            let begin = Instant::now();
            seen += usize::from(question.confirms(&work.script, &text).map_err(Usage)?);
            took = took.max(begin.elapsed());
        }
        if seen + 1 < TIMES {
            let line = format!(
                "{} is flaky: asked {TIMES} times, it showed this only {} of them; what does not repeat cannot be reduced",
                args.file.display(),
                seen + 1
            );
            return Err(Usage(line).into());
        }
        let reduced = work.reduce(&question, took)?;
        let (team, target) = match reduced.end {
            ReductionEnd::Done => self.without_options(court.solvers(), target, &reduced.script)?,
            // Who stopped it does not want to wait for more questions.
            ReductionEnd::Stopped | ReductionEnd::TestFailed(_) => (court.solvers().to_vec(), target.clone()),
        };
        Ok(work.conclude(&reduced, &self.again(&team, &target, work)))
    }

    /// The solvers with the options that the finding needs.
    fn without_options(
        &self,
        team: &[PanelSolver],
        target: &Finding,
        script: &Script,
    ) -> Result<(Vec<PanelSolver>, Finding), Usage> {
        let text = script.to_string();
        let shows = |team: &[PanelSolver], target: &Finding| {
            let findings = self.court(team, script).findings(script, &text)?;
            Ok(findings.iter().any(|finding| is_no_weaker(finding, target)))
        };
        options::fewer(team, target, shows).map_err(Usage)
    }

    fn again(&self, team: &[PanelSolver], target: &Finding, work: &ReductionJob) -> Reproduction {
        let solvers: Vec<String> = team.iter().map(|member| member.identity.name.clone()).collect();
        let out = work.out.display().to_string();
        let suspects = target.suspects.iter();
        let commands = suspects.filter_map(|suspect| team.iter().find(|one| one.identity.name == suspect));
        let commands = commands.map(|member| match member.command(&[], self.setting) {
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

/// Does something, and says what is waited for if it takes a while.
fn waiting<T>(line: &str, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, waits) = mpsc::channel::<()>();
        scope.spawn(move || {
            if waits.recv_timeout(WHILE) == Err(mpsc::RecvTimeoutError::Timeout) {
                console::err(line);
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Whether a finding is one like the target, with evidence as good.
fn is_no_weaker(finding: &Finding, target: &Finding) -> bool {
    finding.is_same(target) && finding.evidence >= target.evidence
}

/// The finding that matters most.
fn worst(findings: Vec<Finding>) -> Option<Finding> {
    findings.into_iter().min_by_key(|finding| (finding.kind.severity(), std::cmp::Reverse(finding.evidence)))
}

/// Keeps what a command does.
pub fn by_command(args: &ReduceArgs, work: &ReductionJob) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let setting = environment.setting()?;
    let (program, arguments) = args.command.split_first().expect("there is a command");
    let program = find(program, &environment.path)?;
    let limits = Limits { wall: args.timeout, memory: Some(args.memory << 20), ..Limits::default() };
    let command = UserCommand::new(program, arguments, &setting, limits, compare(args));
    let text = work.script.to_string();
    // The first script may take as long as much of the rest, so what will be asked next is asked beside it.
    let (first, (nothing, ahead)) =
        both(|| command.run(&text), || (command.run(NOTHING), ahead(&command, work)));
    let (mut first, nothing, mut ahead) = (first?, nothing?, ahead?);
    if command.is_same(&first, &nothing) {
        // One that keeps a time of its own may do something else when it has the machine to itself.
        first = command.run(&text)?;
        ahead.clear();
    }
    check(args, &command, &first, &nothing)?;
    let took = first.took;
    console::err(format_args!("keeping {}", describe(&first)));
    let question = command.question((&text, first.clone()), ahead);
    let reduced = work.reduce(&question, took)?;
    if question.is_flaky() {
        // What was written by then is no result.
        let _ = std::fs::remove_file(&work.out);
        let line = format!(
            "{} is flaky: the command does not do the same with it every time; if only its output differs, try --ignore-output",
            args.file.display()
        );
        return Err(Usage(line).into());
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

/// What the command does with what will be asked about first.
fn ahead(command: &UserCommand, work: &ReductionJob) -> Result<Vec<(Arc<str>, Behaviour)>, RunError> {
    reduce::first_candidate(&work.script)
        .map(|text| Ok((Arc::clone(&text), command.run(&text)?)))
        .into_iter()
        .collect()
}

/// Asks about the result once more: what is small is asked about soon.
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
        "{} is flaky: the command did the same with {} once, but does not do so every time",
        args.file.display(),
        work.out.display()
    );
    Err(Usage(line).into())
}

/// Does two things at the same time.
fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        (one, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Refuses a command that does the same with every script, or that has not ended by itself.
fn check(
    args: &ReduceArgs,
    command: &UserCommand,
    first: &Behaviour,
    nothing: &Behaviour,
) -> anyhow::Result<()> {
    let usage = |line: String| Err(Usage(line).into());
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
    // What is asked for must be there at all.
    if !command.is_same(first, first) {
        return usage(format!(
            "the command does not write what --match-out or --match-err want with {file}: it {}",
            describe(first)
        ));
    }
    if !command.is_same(nothing, first) || !command.is_same(&command.run("")?, first) {
        return Ok(());
    }
    usage(format!(
        "the command does the same with {file} as with an empty script ({}), so there is nothing to keep; it must tell them apart by its exit code or its output",
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
    // Who names what must be in one of them does not mind the other.
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
