//! Exit codes, and which one an error ends in.

use gainsay_engine::solver::cache::DiskError;
use gainsay_engine::solver::install::InstallError;
use gainsay_engine::solver::install::fetch::FetchError;
use gainsay_engine::solver::install::pip::SettingsError;
use gainsay_engine::solver::name::NameError;
use gainsay_engine::solver::profile::ProfileError;
use gainsay_engine::solver::profiles::UnknownSolver;
use gainsay_engine::solver::resolve::ResolveError;

/// There are findings.
pub const FINDINGS: u8 = 10;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// gainsay itself failed.
pub const INTERNAL: u8 = 3;
/// A solver cannot be had or run.
pub const SOLVER: u8 = 4;
/// The disk is full, or not ours to write.
pub const DISK: u8 = 5;

/// The exit code for an error.
pub fn code_of(error: &anyhow::Error) -> u8 {
    let disk = matches!(error.downcast_ref(), Some(InstallError::Disk(_)))
        || error.is::<DiskError>()
        || error.is::<std::io::Error>();
    let solver = error.is::<InstallError>()
        || error.is::<ResolveError>()
        || error.is::<UnknownSolver>()
        || error.is::<FetchError>()
        || error.is::<SettingsError>()
        || error.is::<ProfileError>();
    match () {
        () if disk => DISK,
        () if solver => SOLVER,
        () if error.is::<NameError>() => USAGE,
        () => INTERNAL,
    }
}
