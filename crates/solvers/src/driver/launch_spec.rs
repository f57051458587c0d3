//! How to start one solver with its options: the part of its profile that drivers need.

use std::path::PathBuf;
use std::sync::Arc;

use gainsay_coverage::channel::{CoverageChannel, Reporting};
use gainsay_coverage::target::CoverageTarget;

use super::marks::MarkToken;
use crate::process::HelperCommand;
use crate::profile::{LibraryApi, ModelSupport, SessionSupport, StatisticsRules, WorkCounter};
use crate::sandbox::AccessRules;
use crate::script_filter::ScriptFilter;

/// How to start one solver with its options.
#[derive(Debug, Clone, Default)]
pub struct LaunchSpec {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments, options of the user included. [`LaunchSpec::SCRIPT_PLACEHOLDER`] stands for the path of the script; without it,
    /// the script comes on standard input.
    pub arguments: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
    /// How to ask for a model; `None` if it prints none.
    pub models: Option<ModelSupport>,
    /// How to ask for its work count; `None` if it has none.
    pub work: Option<WorkCounter>,
    /// How to ask for its statistics; `None` if it has none.
    pub statistics: Option<StatisticsRules>,
    /// Removes commands from scripts that the solver must not get.
    pub filter: ScriptFilter,
    /// The token of the marks that link output to commands.
    pub token: MarkToken,
    /// How it runs many scripts in one process; `None` if it cannot.
    pub session: Option<SessionSpec>,
    /// Its library, for the fork server.
    pub library: Option<SolverLibrary>,
    /// Files that its processes may access; `None` for all.
    pub access: Option<AccessRules>,
    /// How its coverage is measured, if it is.
    pub coverage: Option<CoverageRequest>,
}

/// What to cover in the processes of a solver.
#[derive(Debug, Clone)]
pub struct CoverageRequest {
    /// The program or library.
    pub target: Arc<CoverageTarget>,
    /// Whether a run reports all code that it reaches, or only new code.
    pub reporting: Reporting,
}

/// How a solver runs many scripts in one process.
#[derive(Debug, Clone)]
pub struct SessionSpec {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments. [`SessionSpec::END_PLACEHOLDER`] stands for the end marker, which `(echo …)` prints.
    pub arguments: Vec<String>,
    /// How to reset it, when to replace it, and how it numbers lines.
    pub support: SessionSupport,
}

/// A solver as a library, with the options of the user.
#[derive(Debug, Clone)]
pub struct SolverLibrary {
    /// The C interface that it has.
    pub api: LibraryApi,
    /// The file (z3) or the folder with the files (cvc5).
    pub path: PathBuf,
    /// The options, as on the solver's command line.
    pub arguments: Vec<String>,
}

impl LaunchSpec {
    /// A channel for a driver, if coverage is measured.
    pub fn open_channel(&self) -> std::io::Result<Option<CoverageChannel>> {
        let open = |coverage: &CoverageRequest| coverage.target.channel(coverage.reporting);
        self.coverage.as_ref().map(open).transpose()
    }

    /// The placeholder for the script's path in arguments.
    pub const SCRIPT_PLACEHOLDER: &'static str = HelperCommand::SCRIPT_PLACEHOLDER;
}

impl SessionSpec {
    /// The placeholder for the end marker in arguments.
    pub const END_PLACEHOLDER: &'static str = "{end}";
}
