//! Reads cvc5's command line like its own program.

use std::ffi::OsString;

use super::cvc5_api::{Cvc5Solver, OptionKind};

/// The options and files of a command line.
#[derive(Debug, Clone, Default)]
pub struct CommandLine {
    /// Options by name, in order.
    pub options: Vec<(String, String)>,
    /// The other arguments.
    pub files: Vec<String>,
}

impl CommandLine {
    /// The time limit in milliseconds; 0 for none.
    pub fn time_limit(&self) -> u64 {
        self.value(&["tlimit"]).and_then(|value| value.parse().ok()).unwrap_or(0)
    }

    /// Returns true if an option is switched on.
    pub fn is_on(&self, name: &str) -> bool {
        self.value(&[name]) == Some("true")
    }

    /// The last value of an option, by any of its names.
    pub fn value(&self, names: &[&str]) -> Option<&str> {
        let found = self.options.iter().rev().find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value.as_str())
    }
}

/// Short options with the long options that they stand for, from cvc5's `--help`.
const SHORT_OPTIONS: &[(&str, &str, Option<&str>)] = &[
    ("-i", "incremental", Some("true")),
    ("-q", "quiet", Some("true")),
    ("-v", "verbose", Some("true")),
    ("-V", "version", Some("true")),
    ("-L", "lang", None),
    ("-o", "output", None),
    ("-t", "trace", None),
    ("-d", "debug", None),
];

/// Reads options as getopt does: `--name`, `--no-name`, `--name=value`, `--name value`, and a few short ones.
pub fn read_command_line(solver: &Cvc5Solver<'_>, arguments: &[OsString]) -> Result<CommandLine, String> {
    let names = solver.option_names();
    let mut read = CommandLine::default();
    let mut words = arguments.iter().map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        if let Some(&(_, name, value)) = SHORT_OPTIONS.iter().find(|(short, ..)| *short == word) {
            let value = value.map(str::to_owned).or_else(|| words.next()).ok_or_else(|| missing(&word))?;
            read.options.push((name.to_owned(), value));
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value.to_owned())));
            if names.iter().any(|known| known == name) {
                let value = match (value, solver.option_kind(name)) {
                    (Some(value), _) => value,
                    (None, OptionKind::Value) => words.next().ok_or_else(|| missing(&word))?,
                    (None, OptionKind::Bool | OptionKind::Void) => "true".to_owned(),
                };
                read.options.push((name.to_owned(), value));
            } else if let Some(name) =
                name.strip_prefix("no-").filter(|name| names.iter().any(|known| known == name))
            {
                read.options.push((name.to_owned(), "false".to_owned()));
            } else {
                return Err(format!("can't understand option `{word}'"));
            }
        } else if word.starts_with('-') && word != "-" {
            return Err(format!("can't understand option `{word}'"));
        } else {
            read.files.push(word);
        }
    }
    Ok(read)
}

fn missing(option: &str) -> String {
    format!("option `{option}' missing its required argument")
}

/// Options of cvc5's program that the library lacks.
const PROGRAM_ONLY_OPTIONS: &[&str] = &["tlimit", "version", "interactive", "early-exit"];

/// Sets the options of a solver.
pub fn apply(solver: &Cvc5Solver<'_>, command_line: &CommandLine) -> Result<(), String> {
    if command_line.value(&["incremental"]).is_none() {
        solver.set_option("incremental", "false")?;
    }
    for (name, value) in &command_line.options {
        if !PROGRAM_ONLY_OPTIONS.contains(&name.as_str()) {
            solver.set_option(name, value)?;
        }
    }
    Ok(())
}
