//! Exit codes, and the exit code of each error.

use std::path::PathBuf;

use gainsay_engine::campaign::CampaignError;
use gainsay_engine::campaign::remake::RemakeError;
use gainsay_engine::seeds::SeedsError;
use gainsay_engine::session::panel::PanelError;
use gainsay_engine::solver::cache::DiskError;
use gainsay_engine::solver::install::InstallError;
use gainsay_engine::solver::install::fetch::FetchError;
use gainsay_engine::solver::install::pip::SettingsError;
use gainsay_engine::solver::name::NameError;
use gainsay_engine::solver::process::RunError;
use gainsay_engine::solver::profile::ProfileError;
use gainsay_engine::solver::profiles::UnknownSolver;
use gainsay_engine::solver::resolve::ResolveError;
use gainsay_engine::store::StoreError;
use gainsay_engine::strategy::operators::OperatorFileError;
use gainsay_engine::triage::record::TriageRecordsError;

/// There are new findings.
pub const EXIT_FINDINGS: u8 = 10;
/// The command line or an input file is wrong.
pub const EXIT_USAGE: u8 = 2;
/// gainsay itself failed.
pub const EXIT_INTERNAL: u8 = 3;
/// A solver cannot be installed or run.
pub const EXIT_SOLVER: u8 = 4;
/// The disk is full or not writable.
pub const EXIT_DISK: u8 = 5;
/// A campaign ended before its first case, so it says nothing about the solvers.
pub const EXIT_NO_CASE: u8 = 6;

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

/// A user's file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}: {source}", path = path.display())]
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
#[error("{path}: {message}", path = path.display())]
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
    if let Some(error) = store {
        return code_of_store(error);
    }
    let disk = matches!(error.downcast_ref(), Some(InstallError::Disk(_)))
        || error.is::<DiskError>()
        || error.is::<NoOutput>()
        || matches!(
            error.downcast_ref(),
            Some(TriageRecordsError::Disk { .. } | TriageRecordsError::Damaged { .. })
        )
        || error.downcast_ref().is_some_and(is_full);
    let solver = error.is::<InstallError>()
        || error.is::<ResolveError>()
        || error.is::<RunError>()
        || error.is::<NoSolver>()
        || error.is::<BadOptions>()
        || error.is::<NoCommand>()
        || error.is::<CannotCover>()
        || error.is::<PanelError>()
        || error.is::<UnknownSolver>()
        || error.is::<FetchError>()
        || error.is::<SettingsError>()
        || error.is::<ProfileError>();
    let usage = error.is::<NameError>()
        || error.is::<NoInput>()
        || error.is::<BadInput>()
        || error.is::<UsageError>()
        || error.is::<SeedsError>()
        || error.is::<OperatorFileError>()
        || error.is::<CampaignError>()
        || error.is::<TriageRecordsError>()
        || error.is::<RemakeError>();
    match () {
        () if disk => EXIT_DISK,
        () if solver => EXIT_SOLVER,
        () if usage => EXIT_USAGE,
        () => EXIT_INTERNAL,
    }
}

/// Whether the disk under standard output is full.
fn is_full(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::StorageFull
}

/// The exit code for an error of the campaign store.
fn code_of_store(error: &StoreError) -> u8 {
    match error {
        StoreError::Exists(_) | StoreError::Missing(_) | StoreError::Format { .. } | StoreError::Busy(_) => {
            EXIT_USAGE
        }
        StoreError::Damaged { .. } | StoreError::Open { .. } | StoreError::Disk { .. } => EXIT_DISK,
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
