//! `gainsay reduce FILE (--solver S… | -- COMMAND…)`: a script made as small as it gets while it still shows the same.
//!
//! With solvers, what is kept is the worst finding that `gainsay check` makes of the script. With a command, it is how the
//! command ends and what it writes. The file itself is only read; the smallest script so far is always on disk.

mod target;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use gainsay_engine::reduce::{
    self, InterestingnessTest, Reduced, ReductionEnd, ReductionProgress, ReductionSettings,
};
use gainsay_smt::{Command, Script, Signature};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::console;
use crate::environment::SandboxArgs;
use crate::exit::{self, BadInput, NoInput, NoOutput, Usage};
use crate::stop::{StopMessages, StopRequest};

const REDUCE_EXAMPLES: &str = "Examples:
  gainsay reduce bug.smt2 --solver z3@4.8.10 --solver z3@5.4.0
  gainsay reduce bug.smt2 --solver \"z3@4.8.10 rewriter.flat=false\" --out small.smt2 --jobs 8
  gainsay reduce bug.smt2 -- ./crashes.sh --strict
  gainsay reduce bug.smt2 --match-err \"ASSERTION VIOLATION\" -- ./build/z3

With solvers, the script must show a bug: a crash, a wrong answer, a model that does not satisfy, a contradiction.
What is kept is its kind, the suspect, and what it is known by. With a command, the path of a script is put after
its words; what is kept is the exit code and, unless told otherwise, what it writes.

The exit code is 0 if there is a result (also after Ctrl-C), 2 if the file or what it shows is not fit for it, 4 if a
solver or the command cannot run, 5 if the result cannot be written.";

/// Arguments of `gainsay reduce`.
#[derive(Debug, Args)]
#[command(after_help = REDUCE_EXAMPLES)]
pub struct ReduceArgs {
    /// The script.
    file: PathBuf,
    /// NAME@VERSION, NAME (on PATH) or NAME=COMMAND, with options after it: "z3@4.8.10 rewriter.flat=false".
    #[arg(
        long = "solver",
        short,
        required_unless_present = "command",
        conflicts_with = "command",
        value_name = "SOLVER"
    )]
    solvers: Vec<String>,
    /// A command that is run with the path of each script after its words.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Where the result is written; FILE with `.reduced.smt2` for its ending if not given.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How many scripts are tried at the same time; as many as there are processors if not given.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Seconds that one run may take at most.
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = super::check::seconds)]
    timeout: Duration,
    /// Megabytes that one run may use.
    #[arg(long, default_value_t = 4096, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    memory: u64,
    /// What a command writes does not matter, only its exit code.
    #[arg(long, requires = "command")]
    ignore_output: bool,
    /// What a command writes to standard output does not matter.
    #[arg(long, requires = "command")]
    ignore_out: bool,
    /// What a command writes to standard error does not matter.
    #[arg(long, requires = "command")]
    ignore_err: bool,
    /// What must stand in what a command writes to standard output.
    #[arg(long, requires = "command", value_name = "TEXT")]
    match_out: Option<String>,
    /// What must stand in what a command writes to standard error.
    #[arg(long, requires = "command", value_name = "TEXT")]
    match_err: Option<String>,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// How what was kept is seen again.
struct Reproduction {
    /// The solvers, with the options that it takes; none with a command.
    solvers: Vec<String>,
    /// A command line.
    command: String,
}

/// What is reduced, and where to.
struct ReductionJob {
    /// When the user began to wait.
    begin: Instant,
    script: Script,
    /// Bytes of the file.
    before: usize,
    out: PathBuf,
    jobs: usize,
    longest: Duration,
    json: bool,
}

use ReductionJob as Work;
use Reproduction as Again;

/// Runs the command.
pub fn run(args: &ReduceArgs) -> anyhow::Result<ExitCode> {
    let begin = Instant::now();
    let bytes = std::fs::read(&args.file).map_err(|source| NoInput { path: args.file.clone(), source })?;
    let script = read(&args.file, &bytes)?;
    let work = ReductionJob {
        begin,
        script,
        before: bytes.len(),
        out: place(args)?,
        jobs: args
            .jobs
            .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from),
        longest: args.timeout,
        json: args.json,
    };
    if args.command.is_empty() { target::by_solvers(args, &work) } else { target::by_command(args, &work) }
}

/// Reads a script that there is something to ask about.
fn read(path: &Path, bytes: &[u8]) -> anyhow::Result<Script> {
    let bad = |message: String| BadInput { path: path.to_owned(), message };
    let parsed = gainsay_smt::decode(bytes).and_then(|text| Script::parse(&text, &Signature::standard()));
    let script = parsed.map_err(|error| bad(error.to_string()))?;
    let asks =
        |command: &Command| !matches!(command, Command::SetLogic(_) | Command::Plain(..) | Command::Exit);
    if !script.commands.iter().any(asks) {
        return Err(
            bad("there is nothing to reduce: it has no assertion, declaration or check".to_owned()).into()
        );
    }
    Ok(script)
}

/// Where the result goes; never over the script itself.
fn place(args: &ReduceArgs) -> anyhow::Result<PathBuf> {
    let out = args.out.clone().unwrap_or_else(|| args.file.with_extension("reduced.smt2"));
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if out.is_dir() {
        return Err(Usage(format!("--out {} is a folder; name a file", out.display())).into());
    }
    if real(&out).is_some() && real(&out) == real(&args.file) {
        let line = format!(
            "--out {} is the script itself, which is never changed; name another file",
            out.display()
        );
        return Err(Usage(line).into());
    }
    Ok(out)
}

impl ReductionJob {
    /// Reduces, with the smallest script so far always on disk.
    fn reduce(&self, question: &dyn InterestingnessTest, first: Duration) -> anyhow::Result<Reduced> {
        let stop = StopRequest::with_messages(&StopMessages {
            first: "gainsay: stopping; what is smallest so far is kept; once more stops at once",
            second: "gainsay: stopped at once; the last draft of the result is kept",
        })?;
        self.write(&self.script.to_string())?;
        let mut show = ReductionDisplay::new(self);
        let settings =
            ReductionSettings { jobs: self.jobs, first_test: Some(first), max_timeout: self.longest };
        let reduced =
            reduce::run(&self.script, question, settings, stop.flag(), &mut |progress| show.show(&progress));
        show.bar.finish_and_clear();
        self.write(&reduced.text)?;
        Ok(reduced)
    }

    /// Says what came of it, and how it is seen again.
    fn conclude(&self, reduced: &Reduced, again: &Reproduction) -> ExitCode {
        if self.json {
            console::out(self.object(reduced, again));
        } else {
            self.tell(reduced, again);
        }
        match &reduced.end {
            ReductionEnd::Done | ReductionEnd::Stopped => ExitCode::SUCCESS,
            ReductionEnd::TestFailed(why) => {
                console::err(format_args!("gainsay: it ended early, nothing can be asked any more: {why}"));
                ExitCode::from(exit::SOLVER)
            }
        }
    }

    fn object(&self, reduced: &Reduced, again: &Reproduction) -> serde_json::Value {
        let passes = reduced
            .passes
            .iter()
            .map(|count| json!({ "pass": count.pass, "checks": count.tested, "taken": count.interesting }));
        json!({
            "bytes_before": self.before,
            "bytes_after": reduced.text.len(),
            "checks": reduced.checks,
            "seconds": self.begin.elapsed().as_secs_f64(),
            "out": self.out.display().to_string(),
            "slow": reduced.timeouts,
            "complete": reduced.end == ReductionEnd::Done,
            "solvers": again.solvers,
            "command": again.command,
            "passes": passes.collect::<Vec<_>>(),
        })
    }

    fn tell(&self, reduced: &Reduced, again: &Reproduction) {
        let stopped = if reduced.end == ReductionEnd::Done { "" } else { ", stopped before its end" };
        console::out(format_args!(
            "{} bytes ⇒ {} bytes, {} checks, {:.1} s{stopped}: {}",
            self.before,
            reduced.text.len(),
            reduced.checks,
            self.begin.elapsed().as_secs_f64(),
            self.out.display()
        ));
        console::out(format_args!("to see it: {}", again.command));
    }

    /// Writes a script whole or not at all.
    fn write(&self, text: &str) -> anyhow::Result<()> {
        let failed = |source| NoOutput { path: self.out.clone(), source };
        let folder = self.out.parent().filter(|folder| !folder.as_os_str().is_empty());
        let name = self.out.file_name().unwrap_or_default().to_string_lossy();
        let draft = folder.unwrap_or(Path::new(".")).join(format!(".{name}.{}", std::process::id()));
        let written = std::fs::File::create(&draft)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| std::fs::rename(&draft, &self.out));
        if written.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        Ok(written.map_err(failed)?)
    }
}

/// The progress of a reduction: a line that changes on a terminal, a line now and then otherwise.
struct ReductionDisplay<'a> {
    work: &'a ReductionJob,
    bar: ProgressBar,
    bytes: usize,
    written: Instant,
    said: Instant,
}

/// Between two drafts on disk.
const DRAFT_INTERVAL: Duration = Duration::from_secs(1);
/// Between two lines where there is no terminal.
const PROGRESS_LINE_INTERVAL: Duration = Duration::from_secs(10);

impl<'a> ReductionDisplay<'a> {
    fn new(work: &'a ReductionJob) -> Self {
        let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is a constant");
        let bar = ProgressBar::new_spinner().with_style(style);
        ReductionDisplay {
            work,
            bar,
            bytes: work.script.to_string().len(),
            written: Instant::now(),
            said: Instant::now(),
        }
    }

    fn show(&mut self, progress: &ReductionProgress<'_>) {
        let bytes = progress.text.len();
        let line = || format!("{bytes} bytes, {} checks, {}", progress.checks, progress.pass);
        self.bar.set_message(line());
        self.bar.tick();
        if !std::io::stderr().is_terminal() && self.said.elapsed() > PROGRESS_LINE_INTERVAL {
            self.said = Instant::now();
            console::err(line());
        }
        if bytes < self.bytes && self.written.elapsed() > DRAFT_INTERVAL {
            (self.bytes, self.written) = (bytes, Instant::now());
            // Should the disk be full, that is said at the end.
            let _ = self.work.write(progress.text);
        }
    }
}
