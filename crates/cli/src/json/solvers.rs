//! The objects of `gainsay solvers`.

use std::path::PathBuf;

use gainsay_engine::solver::version::Version;
use schemars::JsonSchema;
use serde::Serialize;

/// The releases that were installed, or were there already.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InstallResult<'a> {
    /// The releases.
    pub installed: Vec<InstalledSolver>,
    /// What failed.
    pub errors: &'a [String],
}

/// An installed release.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InstalledSolver {
    /// The solver.
    pub solver: String,
    /// The release.
    #[schemars(with = "String")]
    pub version: Version,
    /// Its folder.
    pub folder: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The file that it was installed from.
    pub wheel: String,
    /// The checksum of that file.
    pub sha256: String,
}

/// The solvers of this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SolverList {
    /// Releases that gainsay installed.
    pub installed: Vec<InstalledSolver>,
    /// Programs on PATH.
    pub path: Vec<SolverOnPath>,
}

/// A solver on PATH.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SolverOnPath {
    /// The solver.
    pub solver: String,
    /// The program.
    pub program: PathBuf,
}

/// The releases that can be installed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AvailableReleases<'a> {
    /// The solver.
    pub solver: &'a str,
    /// The releases, the oldest first.
    pub available: Vec<String>,
}

/// The releases that were removed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemoveResult<'a> {
    /// Their names.
    pub removed: Vec<String>,
    /// What failed.
    pub errors: &'a [String],
}

/// Whether solvers work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SelfTest<'a> {
    /// Whether nothing failed.
    pub passed: bool,
    /// The checks.
    pub checks: Vec<SelfTestCheck<'a>>,
}

/// One check of a solver.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SelfTestCheck<'a> {
    /// The solver.
    pub solver: &'a str,
    /// The driver that ran it.
    pub driver: &'a str,
    /// What was checked.
    pub check: &'a str,
    /// passed, skipped or failed.
    pub outcome: &'a str,
    /// Why it failed.
    pub why: Option<&'a str>,
}
