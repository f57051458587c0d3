//! How one solver, with its options, is started: what drivers need to know of its profile.

use std::path::{Path, PathBuf};

use crate::solver::process::Host;

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
    /// How it tells its count of its work, if it has one.
    pub work: Option<WorkCount>,
    /// How it runs many scripts in one process, if it can.
    pub session: Option<Session>,
    /// Its library, for the fork server.
    pub library: Option<Library>,
}

/// How a solver tells its work: z3 answers `(get-info :rlimit)` with `(:rlimit 1234)`.
#[derive(Debug, Clone)]
pub struct WorkCount {
    /// The command.
    pub command: String,
    /// What stands before the number in the answer.
    pub before: String,
}

/// How a solver runs many scripts in one process.
#[derive(Debug, Clone)]
pub struct Session {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments. [`Session::END`] stands for the end marker, which `(echo …)` prints.
    pub arguments: Vec<String>,
    /// What undoes a script: `(reset)` and what that forgets. Empty if the solver does it by itself, options included.
    pub undo: String,
    /// Options that a script may set, with their defaults, which are set again after it.
    pub options: Vec<(String, String)>,
    /// Where the solver counts the lines in its messages from.
    pub positions: Positions,
    /// Scripts after which the process is replaced.
    pub scripts: u32,
}

/// Where a solver counts the lines in its messages from, in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Positions {
    /// From the first script.
    Continue,
    /// From this script.
    Restart,
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

/// What solvers find in their environment unless a profile says otherwise.
///
/// The malloc tunables let glibc use huge pages: z3 since 4.8.12 touches 17 MB at its start, which is 4,800 page faults
/// and two thirds of its CPU time on a small script. Answers stay the same; 2 to 3 MB more are resident. Solvers that
/// start small (z3 before 4.8.12, cvc5, yices) gain nothing from it.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432"),
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
];

impl Launch {
    /// The placeholder for the script's path in arguments.
    pub const SCRIPT: &'static str = "{script}";

    /// A z3 program that reads standard input, with its library if there is one.
    pub fn z3(program: &Path, library: Option<&Path>, options: &[String]) -> Self {
        let arguments: Vec<String> = ["-in".to_owned()].into_iter().chain(options.iter().cloned()).collect();
        let default = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Launch {
            program: program.to_owned(),
            arguments: arguments.clone(),
            environment: ENVIRONMENT.iter().map(|&(name, value)| default(name, value)).collect(),
            work: Some(WorkCount { command: "(get-info :rlimit)".to_owned(), before: ":rlimit".to_owned() }),
            session: Some(Session {
                program: program.to_owned(),
                arguments,
                // `(reset)` keeps the status that a script claims, and then complains about the next one.
                undo: "(reset)\n(set-info :status unknown)".to_owned(),
                options: vec![default(":produce-models", "true"), default(":produce-unsat-cores", "false")],
                positions: Positions::Continue,
                scripts: 500,
            }),
            library: library.map(|path| Library {
                kind: LibraryKind::Z3,
                path: path.to_owned(),
                arguments: options.to_vec(),
            }),
        }
    }

    /// The libraries of cvc5 in a folder, run by programs of ours.
    pub fn cvc5(host: &Host, folder: &Path, options: &[String]) -> Self {
        let words = |first: &[&str]| -> Vec<String> {
            let own = host.arguments.iter().map(|word| word.to_string_lossy().into_owned());
            let first = first.iter().map(|&word| word.to_owned());
            own.chain(first).chain([folder.display().to_string()]).chain(options.iter().cloned()).collect()
        };
        Launch {
            program: host.program.clone(),
            arguments: words(&["cvc5"]),
            environment: vec![("LC_ALL".to_owned(), "C".to_owned()), ("TZ".to_owned(), "UTC".to_owned())],
            work: Some(WorkCount {
                command: "(get-info :all-statistics)".to_owned(),
                before: "resource::resourceUnitsUsed".to_owned(),
            }),
            session: Some(Session {
                program: host.program.clone(),
                arguments: words(&["session", "cvc5", Session::END]),
                undo: String::new(),
                options: Vec::new(),
                positions: Positions::Restart,
                scripts: 500,
            }),
            library: Some(Library {
                kind: LibraryKind::Cvc5,
                path: folder.to_owned(),
                arguments: options.to_vec(),
            }),
        }
    }
}

impl Session {
    /// The placeholder for the end marker in arguments.
    pub const END: &'static str = "{end}";
}
