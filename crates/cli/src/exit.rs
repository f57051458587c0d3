//! Exit codes, and the exit code of each error.

use std::path::{Path, PathBuf};

use gainsay_engine::campaign::CampaignError;
use gainsay_engine::campaign::remake::RemakeError;
use gainsay_engine::merge::MergeError;
use gainsay_engine::seeds::SeedsError;
use gainsay_engine::session::panel::PanelError;
use gainsay_engine::solver::cache::DiskError;
use gainsay_engine::solver::install::InstallError;
use gainsay_engine::solver::install::fetch::FetchError;
use gainsay_engine::solver::install::pip::SettingsError;
use gainsay_engine::solver::name::NameError;
use gainsay_engine::solver::process::RunError;
use gainsay_engine::solver::profiles::UnknownSolver;
use gainsay_engine::solver::resolve::ResolveError;
use gainsay_engine::store::StoreError;
use gainsay_engine::strategy::operators::OperatorFileError;
use gainsay_engine::triage::record::TriageRecordsError;

/// There are new findings.
pub const EXIT_FINDINGS: u8 = 10;
/// The command line, an input file or the environment is wrong.
pub const EXIT_USAGE: u8 = 2;
/// gainsay itself failed.
pub const EXIT_INTERNAL: u8 = 3;
/// A solver cannot be installed or run.
pub const EXIT_SOLVER: u8 = 4;
/// The disk is full, not writable, or has damaged records.
pub const EXIT_DISK: u8 = 5;
/// Nothing was made or tested, so the command says nothing about the solvers.
pub const EXIT_NOTHING_TESTED: u8 = 6;
/// The user asked twice to stop.
pub const EXIT_INTERRUPTED: u8 = 130;

/// The exit codes of all commands, for `gainsay --help`; a test compares them with `docs/introduction.md`.
pub const EXIT_CODES_HELP: &str = "Exit codes of all commands:
  0    done; nothing wrong was found
  2    the command line, an input file or the environment is wrong
  3    a bug in gainsay
  4    a solver, or a command of yours, cannot be installed or run
  5    the disk is full or not writable, or the records on it are damaged
  6    nothing was made or tested: no case, no script, no answer
  10   findings
  130  stopped immediately, by a second Ctrl-C";

/// The command line or a campaign file is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// A program that is not an SMT solver.
#[derive(Debug, thiserror::Error)]
#[error("{name} does not answer (check-sat) like an SMT solver: {said}; check the command")]
pub struct NoSolver {
    /// Its name.
    pub name: String,
    /// Its output.
    pub said: String,
}

/// A solver that rejects its options.
#[derive(Debug, thiserror::Error)]
#[error("{name} rejects its command line: {said}; check the options after its name")]
pub struct BadOptions {
    /// Its name.
    pub name: String,
    /// Its message.
    pub said: String,
}

/// A user's command that cannot be run.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {program}: {why}")]
pub struct NoCommand {
    /// The program.
    pub program: String,
    /// Why.
    pub why: String,
}

/// Nothing was made or tested.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NothingTested(pub String);

/// A user's file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {source}", shown(path))]
pub struct NoInput {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: std::io::Error,
}

/// A bug in gainsay.
#[derive(Debug, thiserror::Error)]
#[error("this is a bug in gainsay, please report it: {0}")]
pub struct InternalBug(pub String);

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}", path = path.display())]
pub struct NoOutput {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: std::io::Error,
}

/// A user's file with invalid contents.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", shown(path))]
pub struct BadInput {
    /// The file.
    pub path: PathBuf,
    /// The error.
    pub message: String,
}

/// The coverage of a solver cannot be measured.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CannotCover(pub String);

/// The name of a file in messages; `-` is standard input.
fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// The exit code for an error.
pub fn code_of(error: &anyhow::Error) -> u8 {
    let store = error.downcast_ref().or_else(|| match error.downcast_ref() {
        Some(CampaignError::Store(error)) => Some(error),
        _ => None,
    });
    let store = store.or_else(|| match error.downcast_ref() {
        Some(RemakeError::Store(error)) => Some(error),
        _ => None,
    });
    let store = store.or_else(|| match error.downcast_ref() {
        Some(MergeError::Store(error)) => Some(error),
        _ => None,
    });
    if let Some(error) = store {
        return code_of_store(error);
    }
    if let Some(source) = write_error(error) {
        return code_of_write(source);
    }
    let unknown = error.is::<UnknownSolver>()
        || matches!(error.downcast_ref(), Some(InstallError::Unknown(_)))
        || matches!(error.downcast_ref(), Some(ResolveError::Unknown(_)));
    let disk = matches!(error.downcast_ref(), Some(TriageRecordsError::Damaged { .. }))
        || error.downcast_ref().is_some_and(is_full);
    let solver = error.is::<InstallError>()
        || error.is::<ResolveError>()
        || error.is::<RunError>()
        || error.is::<NoSolver>()
        || error.is::<BadOptions>()
        || error.is::<NoCommand>()
        || error.is::<CannotCover>()
        || error.is::<PanelError>()
        || error.is::<FetchError>()
        || error.is::<SettingsError>();
    let usage = unknown
        || error.is::<NameError>()
        || error.is::<NoInput>()
        || error.is::<BadInput>()
        || error.is::<UsageError>()
        || error.is::<SeedsError>()
        || error.is::<OperatorFileError>()
        || error.is::<CampaignError>()
        || error.is::<MergeError>()
        || error.is::<TriageRecordsError>()
        || error.is::<RemakeError>();
    match () {
        () if disk => EXIT_DISK,
        () if usage => EXIT_USAGE,
        () if solver => EXIT_SOLVER,
        () if error.is::<NothingTested>() => EXIT_NOTHING_TESTED,
        () => EXIT_INTERNAL,
    }
}

/// The error of the system if a file could not be written.
fn write_error(error: &anyhow::Error) -> Option<&std::io::Error> {
    let installing = match error.downcast_ref() {
        Some(InstallError::Disk(error)) => Some(error),
        _ => error.downcast_ref::<DiskError>(),
    };
    let triage = match error.downcast_ref() {
        Some(TriageRecordsError::Disk { source, .. }) => Some(source),
        _ => None,
    };
    let joining = match error.downcast_ref() {
        Some(MergeError::Disk { why, .. }) => Some(why),
        _ => None,
    };
    let output = error.downcast_ref::<NoOutput>().map(|error| &error.source);
    output.or(installing.map(|error| &error.reason)).or(triage).or(joining)
}

/// A path that cannot be a file or folder is the user's mistake; everything else is the disk's.
fn code_of_write(error: &std::io::Error) -> u8 {
    use std::io::ErrorKind::{
        AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound,
    };
    match error.kind() {
        NotADirectory | IsADirectory | AlreadyExists | NotFound | InvalidFilename | InvalidInput => {
            EXIT_USAGE
        }
        _ => EXIT_DISK,
    }
}

/// Whether the disk under standard output is full.
fn is_full(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::StorageFull
}

/// The exit code for an error of the campaign store.
fn code_of_store(error: &StoreError) -> u8 {
    match error {
        StoreError::Exists(_)
        | StoreError::Missing(_)
        | StoreError::Format { .. }
        | StoreError::Busy(_)
        | StoreError::Server { .. }
        | StoreError::Connection { .. }
        | StoreError::LeaseLost(_) => EXIT_USAGE,
        StoreError::Damaged { .. }
        | StoreError::Open { .. }
        | StoreError::Disk { .. }
        | StoreError::ServerDisk { .. } => EXIT_DISK,
    }
}

/// Formats an error and its causes as one line, omitting causes that it repeats.
pub fn line_of(error: &anyhow::Error) -> String {
    let mut line = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    line
}
