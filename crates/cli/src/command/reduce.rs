//! `gainsay reduce FILE (--solver S… | -- COMMAND…)`: reduces a script while it still shows the same bug.
//!
//! With solvers, the reduced script must show the most severe finding of `gainsay check` on the original. With a command, it
//! must produce the same exit code and output. The input file is never changed; the smallest script so far is always on disk.

mod target;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use gainsay_engine::known_answers::KnownAnswers;
use gainsay_engine::reduce::{
    self, CandidateText, InterestingnessTest, Reduced, ReducedText, ReductionEnd, ReductionProgress,
    ReductionSettings,
};
use gainsay_engine::triage::command::SameBehaviour;
use gainsay_engine::trial::claimed_statuses;
use gainsay_smt::{Command, Script, Signature};
use indicatif::{ProgressBar, ProgressStyle};

use crate::console;
use crate::environment::SandboxArgs;
use crate::exit::{self, BadInput, UsageError};
use crate::job_limit;
use crate::json;
use crate::json::scripts::{PassSummary, ReducedScriptSummary};
use crate::output_file;
use crate::overwrite::ForceArgs;
use crate::script;
use crate::stop::{StopMessages, StopRequest};

const REDUCE_EXAMPLES: &str = "Examples:
  gainsay reduce bug.smt2 --solver z3@4.8.10 --solver z3@5.4.0
  gainsay reduce bug.smt2 --solver \"z3@4.8.10 rewriter.flat=false\" --out small.smt2 --jobs 8
  gainsay reduce bug.smt2 -- ./crashes.sh --strict
  gainsay reduce bug.smt2 small.smt2 -- ./build/z3 -T:5
  gainsay reduce - --out small.smt2 --solver z3@4.8.10 --solver z3@5.4.0 < bug.smt2
  gainsay reduce bug.smt2 --solver z3@4.8.10 --expect-statuses
  gainsay reduce bug.smt2 --match-err \"ASSERTION VIOLATION\" -- ./build/z3

With solvers, the script must show a bug: a crash, a wrong answer, an invalid model, or a disagreement. The reduced script
shows a bug of the same kind and suspect. With a command, gainsay appends the path of the script; the reduced script must
give the same exit code and, unless disabled, the same output. A file that is not a well-sorted script is reduced, too: with a
command as a tree of parentheses, with solvers up to its first error if a check-sat comes before it. With --expect-statuses, a smaller
script has the statuses that still follow for its checks, and gainsay writes them into it.

The exit code is 0 with a result (also after Ctrl-C), 2 if the file is invalid or shows no bug, 4 if a solver or the
command cannot run, 5 if the result cannot be written.";

/// Arguments of `gainsay reduce`.
#[derive(Debug, Args)]
#[command(after_help = REDUCE_EXAMPLES)]
pub struct ReduceArgs {
    /// The script; - for standard input, with OUT.
    file: PathBuf,
    /// The output file, as --out names it.
    #[arg(value_name = "OUT", conflicts_with = "out")]
    output: Option<PathBuf>,
    /// NAME@VERSION, NAME (on PATH) or NAME=COMMAND, with options after it: "z3@4.8.10 rewriter.flat=false".
    #[arg(
        long = "solver",
        short,
        required_unless_present = "command",
        conflicts_with = "command",
        value_name = "SOLVER"
    )]
    solvers: Vec<String>,
    /// A command; gainsay appends the path of the script.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Expect of each check the answer that the (set-info :status …) before it claims [default: statuses are ignored].
    #[arg(long, requires = "solvers")]
    expect_statuses: bool,
    /// The output file [default: FILE with the extension `.reduced.smt2`].
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Number of scripts to test in parallel [default: one per core].
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Timeout per solver run, or per run of the command: 10, 500ms, 1m.
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = super::check::seconds)]
    timeout: Duration,
    /// Memory limit per solver run, in megabytes.
    #[arg(long, default_value_t = 4096, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    memory: u64,
    /// Ignore the output of the command; compare only its exit code.
    #[arg(long, requires = "command")]
    ignore_output: bool,
    /// Ignore the standard output of the command.
    #[arg(long, requires = "command")]
    ignore_out: bool,
    /// Ignore the standard error of the command.
    #[arg(long, requires = "command")]
    ignore_err: bool,
    /// Text that the standard output of the command must contain.
    #[arg(long, requires = "command", value_name = "TEXT")]
    match_out: Option<String>,
    /// Text that the standard error of the command must contain.
    #[arg(long, requires = "command", value_name = "TEXT")]
    match_err: Option<String>,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// How to reproduce the bug with the reduced script.
struct Reproduction {
    /// The solvers with their options; empty with a command.
    solvers: Vec<String>,
    /// A command line.
    command: String,
}

/// The input of a reduction.
enum ReductionInput {
    /// A well-sorted script.
    Script(Script),
    /// A text that cannot be parsed, with the first error in it; only a command can judge it.
    Text(String, String),
}

/// The text to reduce and the settings.
struct ReductionJob {
    /// When the command started.
    begin: Instant,
    /// The text that the reduction starts from.
    text: String,
    /// Bytes of the file.
    before: usize,
    out: PathBuf,
    jobs: usize,
    longest: Duration,
    json: bool,
}

/// Runs the command.
pub fn run(args: &ReduceArgs) -> anyhow::Result<ExitCode> {
    let begin = Instant::now();
    let (solvers, cores) = (args.solvers.len(), std::thread::available_parallelism().map_or(1, usize::from));
    let jobs = args.jobs.map_or_else(|| cores.min(job_limit::max_jobs(solvers)), usize::from);
    job_limit::check(jobs, solvers)?;
    let bytes = script::bytes(&args.file)?;
    let input = read(args, &bytes)?;
    let (input, known) = known_answers(args, input);
    let text = match &input {
        ReductionInput::Script(script) => script.to_string(),
        ReductionInput::Text(text, _) => text.clone(),
    };
    let work = ReductionJob {
        begin,
        text,
        before: bytes.len(),
        out: place(args)?,
        jobs,
        longest: args.timeout,
        json: args.json,
    };
    match input {
        ReductionInput::Script(script) if args.command.is_empty() => {
            target::by_solvers(args, &work, &script, &known)
        }
        input => target::by_command(args, &work, &input),
    }
}

/// What the statuses of a script claim of its checks, and the script without them: they would stay where checks are dropped.
fn known_answers(args: &ReduceArgs, input: ReductionInput) -> (ReductionInput, KnownAnswers) {
    match input {
        ReductionInput::Script(script) if args.expect_statuses => {
            let known = KnownAnswers::of(&script, &claimed_statuses(&script));
            (ReductionInput::Script(script.without_status()), known)
        }
        input => (input, KnownAnswers::default()),
    }
}

/// Reads the input. A command can be asked about any text; solvers are asked up to the first error.
fn read(args: &ReduceArgs, bytes: &[u8]) -> anyhow::Result<ReductionInput> {
    let bad = |message: String| BadInput { path: args.file.clone(), message };
    let text = gainsay_smt::decode(bytes).map_err(|error| bad(error.to_string()))?;
    let script = match Script::parse(&text, &Signature::standard()) {
        Ok(script) => script,
        Err(error) if !args.command.is_empty() => {
            return Ok(ReductionInput::Text(text.into_owned(), error.to_string()));
        }
        Err(error) => script_before_error(args, &text).ok_or_else(|| bad(error.to_string()))?,
    };
    let asks =
        |command: &Command| !matches!(command, Command::SetLogic(_) | Command::Plain(..) | Command::Exit);
    if !script.commands.iter().any(asks) {
        return Err(
            bad("nothing to reduce: the script has no assertion, declaration or check".to_owned()).into()
        );
    }
    Ok(ReductionInput::Script(script))
}

/// The part of a script before its first error, if it has a check.
fn script_before_error(args: &ReduceArgs, text: &str) -> Option<Script> {
    let prefix = script::before_error(text)?;
    console::err(format_args!(
        "{}: {}; the reduction starts from the commands before this error",
        args.file.display(),
        prefix.error
    ));
    Some(prefix.script)
}

/// The path of the result, which must not be the script itself.
fn place(args: &ReduceArgs) -> anyhow::Result<PathBuf> {
    let named = args.output.as_ref().or(args.out.as_ref());
    if named.is_none() && script::is_standard_input(&args.file) {
        return Err(UsageError(
            "a script from standard input has no file name; name a file with --out".to_owned(),
        )
        .into());
    }
    let out = named.cloned().unwrap_or_else(|| args.file.with_extension("reduced.smt2"));
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if real(&out).is_some() && real(&out) == real(&args.file) {
        let line = format!("--out {} is the input file; name another file", out.display());
        return Err(UsageError(line).into());
    }
    args.force.check_file(&out)?;
    Ok(out)
}

impl ReductionJob {
    /// Reduces a script; writes the smallest one so far to disk.
    fn reduce(
        &self,
        script: &Script,
        question: &dyn InterestingnessTest,
        first: Duration,
    ) -> anyhow::Result<Reduced> {
        let reduced = self.run(first, |settings, stop, listener| {
            let reduced = reduce::run(script, question, settings, stop, listener);
            (reduced.text.clone(), reduced)
        })?;
        Ok(reduced)
    }

    /// Reduces a text that is no script; writes the smallest one so far to disk.
    fn reduce_text(&self, question: &SameBehaviour<'_>, first: Duration) -> anyhow::Result<ReducedText> {
        self.run(first, |settings, stop, listener| {
            let test = |candidate: &CandidateText<'_>| question.test_text(candidate);
            let reduced = reduce::run_on_text(&self.text, &test, settings, stop, listener);
            (reduced.text.clone(), reduced)
        })
    }

    /// Runs a reduction, which returns the smallest text and its result.
    fn run<R>(
        &self,
        first: Duration,
        reduction: impl FnOnce(
            ReductionSettings,
            &AtomicBool,
            &mut dyn FnMut(ReductionProgress<'_>),
        ) -> (String, R),
    ) -> anyhow::Result<R> {
        let stop = StopRequest::with_messages(&StopMessages {
            first: "gainsay: stopping; the smallest script so far is kept; press Ctrl-C again to stop immediately",
            second: "gainsay: stopped immediately; the last written result is kept",
        })?;
        self.write(&self.text)?;
        let mut show = ReductionDisplay::new(self);
        let settings =
            ReductionSettings { jobs: self.jobs, first_test: Some(first), max_timeout: self.longest };
        let (text, reduced) = reduction(settings, stop.flag(), &mut |progress| show.show(&progress));
        show.bar.finish_and_clear();
        self.write(&text)?;
        Ok(reduced)
    }

    /// Prints the result and how to reproduce the bug.
    fn conclude(&self, reduced: &ReducedText, again: &Reproduction) -> ExitCode {
        if self.json {
            json::print(&self.object(reduced, again));
        } else {
            self.tell(reduced, again);
        }
        match &reduced.end {
            ReductionEnd::Done | ReductionEnd::Stopped => ExitCode::SUCCESS,
            ReductionEnd::TestFailed(why) => {
                console::err(format_args!(
                    "gainsay: the reduction ended early, because the test cannot run any more: {why}"
                ));
                ExitCode::from(exit::EXIT_SOLVER)
            }
        }
    }

    fn object<'a>(&self, reduced: &ReducedText, again: &'a Reproduction) -> ReducedScriptSummary<'a> {
        let passes = reduced.passes.iter().map(|count| PassSummary {
            pass: count.pass.to_string(),
            checks: count.tested,
            taken: count.interesting,
        });
        ReducedScriptSummary {
            bytes_before: self.before,
            bytes_after: reduced.text.len(),
            checks: reduced.checks,
            seconds: self.begin.elapsed().as_secs_f64(),
            out: self.out.display().to_string(),
            slow: reduced.timeouts,
            complete: reduced.end == ReductionEnd::Done,
            solvers: &again.solvers,
            command: &again.command,
            passes: passes.collect(),
        }
    }

    fn tell(&self, reduced: &ReducedText, again: &Reproduction) {
        let stopped = if reduced.end == ReductionEnd::Done { "" } else { ", stopped early" };
        console::out(format_args!(
            "{} bytes ⇒ {} bytes, {} checks, {:.1} s{stopped}: {}",
            self.before,
            reduced.text.len(),
            reduced.checks,
            self.begin.elapsed().as_secs_f64(),
            self.out.display()
        ));
        console::out(format_args!("to reproduce: {}", again.command));
    }

    /// Writes the script atomically.
    fn write(&self, text: &str) -> anyhow::Result<()> {
        Ok(output_file::write(&self.out, text)?)
    }
}

/// The progress of a reduction: a spinner on a terminal, otherwise a line every few seconds.
struct ReductionDisplay<'a> {
    work: &'a ReductionJob,
    bar: ProgressBar,
    bytes: usize,
    written: Instant,
    said: Instant,
}

/// Time between two writes of the smallest script.
const DRAFT_INTERVAL: Duration = Duration::from_secs(1);
/// Time between two progress lines without a terminal.
const PROGRESS_LINE_INTERVAL: Duration = Duration::from_secs(10);

impl<'a> ReductionDisplay<'a> {
    fn new(work: &'a ReductionJob) -> Self {
        let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is a constant");
        let bar = console::bar(|| ProgressBar::new_spinner().with_style(style));
        ReductionDisplay { work, bar, bytes: work.text.len(), written: Instant::now(), said: Instant::now() }
    }

    fn show(&mut self, progress: &ReductionProgress<'_>) {
        let bytes = progress.text.len();
        let line = || format!("{bytes} bytes, {} checks, {}", progress.checks, progress.pass);
        self.bar.set_message(line());
        self.bar.tick();
        if self.bar.is_hidden() && self.said.elapsed() > PROGRESS_LINE_INTERVAL {
            self.said = Instant::now();
            console::progress(line());
        }
        if bytes < self.bytes && self.written.elapsed() > DRAFT_INTERVAL {
            (self.bytes, self.written) = (bytes, Instant::now());
            // A full disk is reported at the end.
            let _ = self.work.write(progress.text);
        }
    }
}
