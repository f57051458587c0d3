//! How a solver is named on the command line and in records: `z3@4.8.10`, `z3`, `z3=/opt/z3/build/z3`, each with
//! options of that solver after it: `"z3@4.8.10 rewriter.flat=false"`.
//!
//! Blanks separate words, except inside quotes, as in a shell; other features of shells are not supported.

use std::fmt;
use std::str::FromStr;

use super::version::{InvalidVersion, Version, Versions};

/// A solver as a user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverName {
    /// Which profile describes it.
    pub profile: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Options for the solver, as they go on its command line.
    pub options: Vec<String>,
}

/// Where the program of a solver comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Found on PATH under the profile's command.
    Path,
    /// A version that gainsay installs and keeps.
    Managed(Version),
    /// The newest release on the package index: [`Installer::latest`](super::install::Installer::latest) says which.
    Latest,
    /// A program of the user, by path or by its name on PATH.
    Command(String),
}

/// Why a text is not the name of a solver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing there.
    #[error("empty solver name; write NAME@VERSION, NAME or NAME=COMMAND")]
    Empty,
    /// No name before `@` or `=`.
    #[error("`{0}` has no solver name before its `@` or `=`; write NAME@VERSION or NAME=COMMAND")]
    NoName(String),
    /// No command after `=`.
    #[error("`{0}` has no command after `=`; write NAME=COMMAND")]
    NoCommand(String),
    /// A quote that is never closed.
    #[error("`{0}` has a quote that is not closed")]
    OpenQuote(String),
    /// The version is invalid.
    #[error(transparent)]
    Version(#[from] InvalidVersion),
    /// A program where a release to install is meant.
    #[error(
        "`{0}` is a program of yours, which gainsay uses as it is; only releases (NAME@VERSION) are installed"
    )]
    OwnProgram(String),
    /// A range where one solver is meant.
    #[error("`{0}` is a range of versions, and one version is meant here")]
    Range(String),
}

impl FromStr for SolverName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let mut words = split_words(text).ok_or_else(|| NameError::OpenQuote(text.to_owned()))?.into_iter();
        let head = words.next().ok_or(NameError::Empty)?;
        let mark = head.find(['@', '=']).unwrap_or(head.len());
        let (profile, rest) = head.split_at(mark);
        if profile.is_empty() {
            return Err(NameError::NoName(head));
        }
        let origin = match rest.split_at_checked(1) {
            Some(("=", "")) => return Err(NameError::NoCommand(head)),
            Some(("=", command)) => Origin::Command(command.to_owned()),
            Some((_, version)) => managed(version)?,
            None => Origin::Path,
        };
        Ok(SolverName { profile: profile.to_owned(), origin, options: words.collect() })
    }
}

fn managed(version: &str) -> Result<Origin, NameError> {
    match version.parse()? {
        Versions::Exactly(version) => Ok(Origin::Managed(version.short())),
        Versions::Latest => Ok(Origin::Latest),
        range @ Versions::Between(..) => Err(NameError::Range(range.to_string())),
    }
}

impl fmt::Display for SolverName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.profile)?;
        match &self.origin {
            Origin::Path => {}
            Origin::Managed(version) => write!(f, "@{version}")?,
            Origin::Latest => f.write_str("@latest")?,
            Origin::Command(command) => write!(f, "={}", quote(command))?,
        }
        self.options.iter().try_for_each(|option| write!(f, " {}", quote(option)))
    }
}

/// Splits a line into words at blanks outside of `'…'` and `"…"`; `None` if a quote is not closed.
pub fn split_words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '\'' || letter == '"' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// A word as [`split_words`] reads it back.
fn quote(word: &str) -> String {
    let plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == '\'' || c == '"');
    match word {
        _ if plain => word.to_owned(),
        _ if word.contains('"') => format!("'{word}'"),
        _ => format!("\"{word}\""),
    }
}

/// An argument of `gainsay solvers install`: a solver and versions of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallRequest {
    /// Which profile.
    pub profile: String,
    /// The versions; the newest if none are given.
    pub versions: Versions,
}

impl FromStr for InstallRequest {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (profile, versions) = text.split_once('@').unwrap_or((text, "latest"));
        match profile {
            "" if text.is_empty() => Err(NameError::Empty),
            "" => Err(NameError::NoName(text.to_owned())),
            _ if profile.contains('=') => Err(NameError::OwnProgram(text.to_owned())),
            _ => Ok(InstallRequest { profile: profile.to_owned(), versions: versions.parse()? }),
        }
    }
}

impl fmt::Display for InstallRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.profile, self.versions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_and_printed_back() {
        let names = [
            "z3",
            "z3@4.8.10",
            "cvc5@latest",
            "z3@4.8.10 rewriter.flat=false model_validate=true",
            "z3=/opt/z3/z3 -v:1",
            "yices=\"/opt/my yices/yices-smt2\" --incremental",
        ];
        for name in names {
            assert_eq!(name.parse::<SolverName>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn a_command_may_hold_an_at_sign_and_a_version_may_be_long() {
        let name: SolverName = "z3=/opt/z3@home/z3".parse().unwrap();
        assert_eq!(name.origin, Origin::Command("/opt/z3@home/z3".to_owned()));
        assert_eq!("z3@4.8.5.0".parse::<SolverName>().unwrap().to_string(), "z3@4.8.5");
    }

    #[test]
    fn what_names_no_solver_is_refused_with_a_reason() {
        for text in ["", "  ", "@4.8", "=z3", "z3=", "z3@", "z3@x", "z3@4.8.8..4.8.9", "z3 'open"] {
            assert!(text.parse::<SolverName>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_request_without_a_version_is_for_the_latest() {
        assert_eq!("z3".parse::<InstallRequest>().unwrap().to_string(), "z3@latest");
        assert_eq!("z3@4.8.8..4.8.17".parse::<InstallRequest>().unwrap().to_string(), "z3@4.8.8..4.8.17");
    }
}
