//! `gainsay parse`: parses and sort-checks scripts and reports errors.

use std::fs;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use gainsay_smt::horn::{HornForm, NotHorn, System};
use gainsay_smt::{Error, ErrorKind, Printer, Script, Signature, decode};
use indicatif::{ProgressBar, ProgressStyle};

use crate::json;
use crate::json::scripts::{ParseErrorEntry, ParsedScripts};
use crate::{console, exit, script};

/// The examples of `gainsay parse --help`.
const PARSE_EXAMPLES: &str = "\
Examples:
  gainsay parse script.smt2             is it well-formed and well-sorted?
  gainsay parse benchmarks/             all *.smt2 and *.smt2.gz files below a folder
  gainsay parse --print script.smt2     the script as gainsay writes it
  gainsay parse --print --share x.smt2  with let for shared subterms
  gainsay parse - < script.smt2         from standard input
  gainsay parse --horn systems/         is it a system of constrained Horn clauses, and if not, why?
  gainsay parse --horn --form rules --print x.smt2   the system with declare-rel, rule and query

The exit code is 0 if every file is fine, 2 otherwise. `gainsay --help` lists all exit codes.";

/// The arguments of `gainsay parse`.
#[derive(Args, Debug)]
#[command(after_help = PARSE_EXAMPLES)]
pub struct ParseArgs {
    /// Files, folders with *.smt2 or *.smt2.gz files at any depth, or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Print the parsed scripts to standard output
    #[arg(long, conflicts_with = "json")]
    print: bool,
    /// Print shared subterms with let
    #[arg(long, requires = "print")]
    share: bool,
    /// Require systems of constrained Horn clauses and describe each of them
    #[arg(long)]
    horn: bool,
    /// Print systems in this style [default: as in the file].
    #[arg(long, value_enum, requires = "horn", requires = "print")]
    form: Option<HornStyle>,
    /// Print one JSON object: files, read, checked, opaque, failed, errors
    #[arg(long)]
    json: bool,
}

/// The styles of systems of Horn clauses.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum HornStyle {
    /// (set-logic HORN), assertions and (check-sat)
    Assertions,
    /// declare-rel, declare-var, rule and query; its answer is the opposite one
    Rules,
}

/// Runs the command.
pub fn run(args: &ParseArgs) -> anyhow::Result<ExitCode> {
    let signature = Signature::standard();
    let mut summary = ParseSummary::default();
    let files = summary.files_below(&args.paths);
    let mut progress = ParseProgress::new(files.len());
    for file in files {
        let outcome = examine(&file, &signature);
        let outcome = if args.horn { outcome.demand_system() } else { outcome };
        progress.step(&outcome);
        summary.add(&file, &outcome);
        match outcome {
            ParseOutcome::Read(script) if args.print => print(&in_style(script, args.form), args.share)?,
            ParseOutcome::Read(script) if args.horn && !args.json => describe(&file, &script),
            ParseOutcome::Failed(failure) if !args.json => console::err(failure.show(&file)),
            _ => {}
        }
    }
    progress.finish();
    summary.show(args)?;
    Ok(ExitCode::from(summary.exit_code()))
}

/// Converts a system to the requested style.
fn in_style(script: Box<Script>, style: Option<HornStyle>) -> Box<Script> {
    let form = match style {
        None => return script,
        Some(HornStyle::Assertions) => HornForm::Horn,
        Some(HornStyle::Rules) => HornForm::Fixedpoint,
    };
    System::read(&script).map_or(script, |system| Box::new(system.script(form)))
}

/// Describes a system.
fn describe(file: &Path, script: &Script) {
    let Ok(system) = System::read(script) else { return };
    let kind = if system.is_linear() { "linear" } else { "non-linear" };
    let style = if system.form == HornForm::Horn { "assertions" } else { "rules" };
    let (predicates, clauses) = (system.predicates.len(), system.clauses.len());
    console::out(format_args!(
        "{}: {kind}, {predicates} predicates, {clauses} clauses, {style}",
        file.display()
    ));
}

fn print(script: &Script, share: bool) -> anyhow::Result<()> {
    let printer = if share { Printer::new().sharing() } else { Printer::new() };
    write(&printer.print(script))
}

/// Writes a script to standard output.
fn write(text: &str) -> anyhow::Result<()> {
    console::data(text).context("cannot write to standard output")
}

/// The result for one file.
enum ParseOutcome {
    Read(Box<Script>),
    Failed(ParseFailure),
}

/// Why a file could not be read or checked.
enum ParseFailure {
    /// A syntax or sort error.
    Text(Error),
    /// Not a system of Horn clauses.
    NotHorn(NotHorn),
    /// The file cannot be read, or a folder has no scripts.
    File(String),
    /// A bug in gainsay.
    Internal,
}

impl ParseOutcome {
    /// Fails if the script is not a system of Horn clauses.
    fn demand_system(self) -> ParseOutcome {
        match self {
            ParseOutcome::Read(script) => match System::read(&script) {
                Ok(_) => ParseOutcome::Read(script),
                Err(why) => ParseOutcome::Failed(ParseFailure::NotHorn(why)),
            },
            failed => failed,
        }
    }
}

impl ParseFailure {
    fn message(&self) -> String {
        match self {
            ParseFailure::Text(error) => error.message.clone(),
            ParseFailure::NotHorn(why) => why.to_string(),
            ParseFailure::File(message) => message.clone(),
            ParseFailure::Internal => "this is a bug in gainsay; please report it with this file".to_owned(),
        }
    }

    /// The line and column; zero if there is no position.
    fn place(&self) -> (usize, usize) {
        match self {
            ParseFailure::Text(error) => (error.line, error.column),
            _ => (0, 0),
        }
    }

    fn show(&self, file: &Path) -> String {
        match self {
            ParseFailure::Text(error) => format!("{}:{error}\n{}", file.display(), error.snippet()),
            _ => format!("{}: {}", file.display(), self.message()),
        }
    }
}

/// Reads one file; a panic fails only this file.
fn examine(file: &Path, signature: &Arc<Signature>) -> ParseOutcome {
    let bytes = match contents(file) {
        Ok(bytes) => bytes,
        Err(message) => return ParseOutcome::Failed(ParseFailure::File(message)),
    };
    if bytes.trim_ascii().is_empty() {
        return ParseOutcome::Failed(ParseFailure::File(
            "the file is empty, expected SMT-LIB commands".into(),
        ));
    }
    let read = panic::catch_unwind(AssertUnwindSafe(|| {
        decode(&bytes).and_then(|text| Script::parse(&text, signature))
    }));
    match read {
        Ok(Ok(script)) => ParseOutcome::Read(Box::new(script)),
        Ok(Err(error)) => ParseOutcome::Failed(ParseFailure::Text(error)),
        Err(_) => ParseOutcome::Failed(ParseFailure::Internal),
    }
}

fn contents(file: &Path) -> Result<Vec<u8>, String> {
    let cannot_read = |error: io::Error| format!("cannot read: {error}");
    if !script::is_standard_input(file) && !fs::metadata(file).map_err(cannot_read)?.is_file() {
        return Err("not a regular file".into());
    }
    script::bytes(file).map_err(|error| cannot_read(error.source))
}

#[derive(Default)]
struct ParseSummary {
    files: usize,
    read: usize,
    checked: usize,
    opaque: usize,
    failed: usize,
    /// Whether a file makes gainsay itself fail.
    has_bug: bool,
    errors: Vec<ParseErrorEntry>,
}

impl ParseSummary {
    /// Returns the files at and below the paths, in order; an unreadable path counts as a failed file.
    fn files_below(&mut self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for path in paths {
            if !path.is_dir() {
                files.push(path.clone());
                continue;
            }
            let before = files.len();
            for (folder, message) in scripts_below(path, &mut files) {
                self.fail(&folder, message);
            }
            if files.len() == before {
                self.fail(path, "no *.smt2 or *.smt2.gz file in this folder".into());
            }
        }
        files
    }

    fn fail(&mut self, path: &Path, message: String) {
        let failure = ParseFailure::File(message);
        console::err(failure.show(path));
        self.add(path, &ParseOutcome::Failed(failure));
    }

    fn add(&mut self, file: &Path, outcome: &ParseOutcome) {
        self.files += 1;
        match outcome {
            ParseOutcome::Read(script) => {
                self.read += 1;
                self.checked += 1;
                self.opaque += usize::from(script.has_opaque());
            }
            ParseOutcome::Failed(failure) => {
                self.failed += 1;
                self.has_bug |= matches!(failure, ParseFailure::Internal);
                let is_sort = matches!(failure, ParseFailure::Text(error) if error.kind == ErrorKind::Sort);
                let is_checked = matches!(failure, ParseFailure::NotHorn(_));
                self.read += usize::from(is_sort || is_checked);
                self.checked += usize::from(is_checked);
                let (line, column) = failure.place();
                let (file, message) = (file.display().to_string(), failure.message());
                self.errors.push(ParseErrorEntry { file, line, column, message });
            }
        }
    }

    fn exit_code(&self) -> u8 {
        match (self.has_bug, self.failed) {
            (true, _) => exit::EXIT_INTERNAL,
            (false, 0) => 0,
            (false, _) => exit::EXIT_USAGE,
        }
    }

    fn show(&self, args: &ParseArgs) -> anyhow::Result<()> {
        let ParseSummary { files, read, checked, opaque, failed, ref errors, .. } = *self;
        let text = match args.json {
            true => json::line(&ParsedScripts { files, read, checked, opaque, failed, errors }),
            false => format!(
                "{files} {}: {read} read, {checked} sort-checked, {opaque} with opaque parts, {failed} failed",
                if files == 1 { "file" } else { "files" }
            ),
        };
        // Standard output must contain only the script.
        if args.print {
            console::err(text);
            return Ok(());
        }
        write(&format!("{text}\n"))
    }
}

/// Adds the scripts below a folder, sorted; returns the folders that could not be listed and why.
fn scripts_below(folder: &Path, files: &mut Vec<PathBuf>) -> Vec<(PathBuf, String)> {
    let mut failed = Vec::new();
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                failed.push((folder, format!("cannot list: {error}")));
                continue;
            }
        };
        for entry in entries.flatten() {
            // Do not follow links to folders: they may form a cycle.
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                _ if is_script(&path) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    files.append(&mut found);
    failed
}

/// Returns true if a file below a folder is a script by its name.
fn is_script(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".smt2") || name.ends_with(".smt2.gz")
}

/// A progress bar on the terminal, after one second.
struct ParseProgress {
    start: Instant,
    files: usize,
    done: usize,
    failed: usize,
    bar: Option<ProgressBar>,
}

impl ParseProgress {
    fn new(files: usize) -> ParseProgress {
        ParseProgress { start: Instant::now(), files, done: 0, failed: 0, bar: None }
    }

    fn step(&mut self, outcome: &ParseOutcome) {
        self.done += 1;
        self.failed += usize::from(matches!(outcome, ParseOutcome::Failed(_)));
        if self.bar.is_none() && self.start.elapsed() > Duration::from_secs(1) && console::shows_bars() {
            let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {msg}, {eta} left");
            let bar = ProgressBar::new(self.files as u64);
            self.bar = Some(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
            bar.set_message(format!("{} failed", self.failed));
        }
    }

    fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
