//! How one solver, with its options, is started: what drivers need to know of its profile.

use std::path::PathBuf;

use super::marks::MarkToken;
use crate::process::HelperOrder;
use crate::profile::{Api, Counters, Models, Session as Habits, Work};
use crate::sandbox::Reach;
use crate::script_filter::ScriptFilter;

/// How one solver, with its options, is started.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments, options of the user included. [`Launch::SCRIPT`] stands for the path of the script; without it,
    /// the script comes on standard input.
    pub arguments: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
    /// How to ask for a model, if it gives any.
    pub models: Option<Models>,
    /// How it tells its count of its work, if it has one.
    pub work: Option<Work>,
    /// How it tells what it counted, if it does.
    pub statistics: Option<Counters>,
    /// Which options it must know.
    pub filter: ScriptFilter,
    /// The token of the marks that tell which output answers which command.
    pub token: MarkToken,
    /// How it runs many scripts in one process, if it can.
    pub session: Option<Session>,
    /// Its library, for the fork server.
    pub library: Option<Library>,
    /// What its processes may reach; everything if `None`.
    pub reach: Option<Reach>,
}

/// How a solver runs many scripts in one process.
#[derive(Debug, Clone)]
pub struct Session {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments. [`Session::END`] stands for the end marker, which `(echo …)` prints.
    pub arguments: Vec<String>,
    /// How it is undone, when it is replaced, where it counts lines from.
    pub habits: Habits,
}

/// A solver's library, with the options of the user.
#[derive(Debug, Clone)]
pub struct Library {
    /// The C interface that it has.
    pub api: Api,
    /// The file (z3) or the folder with the files (cvc5).
    pub path: PathBuf,
    /// The options, as on the solver's command line.
    pub arguments: Vec<String>,
}

impl Launch {
    /// The placeholder for the script's path in arguments.
    pub const SCRIPT: &'static str = HelperOrder::SCRIPT;
}

impl Session {
    /// The placeholder for the end marker in arguments.
    pub const END: &'static str = "{end}";
}
