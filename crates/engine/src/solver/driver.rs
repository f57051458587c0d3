//! Drivers: the ways to put a script to a solver. All give the same [`Run`].
//!
//! | driver | process | costs | isolation |
//! |---|---|---|---|
//! | `plain` | one per script, from the command line | the solver's start | full; the reference |
//! | `session` | one for many scripts, `(reset)` between them | least | a script may see what an earlier one left |
//! | `fork` | a library loaded once, a fork per script | little | full, but not the solver's own `main` |
//!
//! Anything that looks like a bug is run again by `plain`.

use std::path::PathBuf;

use super::process::{Host, RunError};
use super::run::{Query, Run};

mod fork;
mod oneshot;
mod plain;

/// A way to put scripts to one solver, one after the other.
pub trait Driver: Send {
    /// Runs one script. Whatever the solver does is in the `Run`; an error means that it could not be run at all.
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError>;
}

/// A member of [`ALL`].
pub struct Kind {
    /// Its name, as in `--driver NAME`.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Whether it can drive this solver.
    pub fits: fn(&Launch) -> bool,
    /// Makes one.
    pub open: fn(&Host, &Launch) -> Result<Box<dyn Driver>, RunError>,
}

/// Every driver.
pub const ALL: &[Kind] = &[plain::KIND, fork::KIND];

/// How one solver, with its options, is started: what a driver needs to know of its profile.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments, options of the user included. `{script}` stands for the path of the script.
    pub arguments: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
    /// What to add to a script to learn the solver's count of its work.
    pub work: Option<WorkCount>,
    /// Its library, for the fork server.
    pub library: Option<Library>,
}

/// A solver's library, with the options of the user.
#[derive(Debug, Clone)]
pub struct Library {
    /// Which solver's.
    pub kind: LibraryKind,
    /// The file (z3) or the folder with the files (cvc5).
    pub path: PathBuf,
    /// The options, as on the solver's command line.
    pub arguments: Vec<String>,
}

/// The libraries that we can drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibraryKind {
    /// `libz3.so`.
    Z3,
    /// `libcvc5.so` and `libcvc5parser.so`.
    Cvc5,
}

impl LibraryKind {
    /// The word for it on the helper's command line.
    pub fn name(self) -> &'static str {
        match self {
            LibraryKind::Z3 => "z3",
            LibraryKind::Cvc5 => "cvc5",
        }
    }
}

/// How a solver tells its work: z3 answers `(get-info :rlimit)` with `(:rlimit 1234)`.
#[derive(Debug, Clone)]
pub struct WorkCount {
    /// The command.
    pub command: String,
    /// What stands before the number in the answer.
    pub before: String,
}

/// What solvers find in their environment unless a profile says otherwise.
///
/// The malloc tunables let glibc use huge pages: z3 since 4.8.12 touches 17 MB at its start, which is 4,800 page faults
/// and two thirds of its CPU time on a small script. Answers stay the same; 2 to 3 MB more are resident.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432"),
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
];

impl Launch {
    /// The placeholder for the script's path; without it, the script comes on standard input.
    pub const SCRIPT: &'static str = "{script}";
}
