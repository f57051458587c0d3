//! The overview of commands, by task, and the version with its commit.
//!
//! clap lists subcommands in one block. People come with a task, so `gainsay --help` shows them in groups.

use std::ffi::OsString;

use clap::{ArgMatches, ColorChoice, Command, CommandFactory, FromArgMatches, ValueEnum};

use crate::Gainsay;
use crate::console::OutputArgs;
use crate::exit::EXIT_CODES_HELP;

/// The commands by task, in the order of the help.
const COMMAND_GROUPS: &[(&str, &[&str])] = &[
    ("Find bugs", &["quickstart", "fuzz", "perf", "localize", "generate", "enumerate", "mutate", "fusion"]),
    ("Judge a script", &["check", "decide", "eval", "parse", "bisect"]),
    ("Measure seeds", &["coverage", "distill", "import-coverage"]),
    ("Shrink", &["reduce"]),
    ("Manage findings", &["list", "report", "replay", "triage", "known"]),
    ("Run on many machines", &["work", "merge", "fleet", "serve"]),
    ("Commands of other tools", &["typefuzz", "opfuzz", "yinyang", "ddsmt"]),
    ("Manage gainsay", &["solvers", "completions", "man", "schema", "help"]),
];

/// The order of the parts of the overview.
const OVERVIEW_TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{options}{after-help}";

/// What the overview says after the options.
const OVERVIEW_END: &str = "\
`gainsay help COMMAND` explains a command, with examples. Start with `gainsay quickstart`.";

/// The version, with commit and date where they are known: `0.1.0 (1a2b3c4 2026-01-31)`.
pub const GAINSAY_VERSION: &str = match env!("GAINSAY_COMMIT") {
    commit if commit.is_empty() => env!("CARGO_PKG_VERSION"),
    _ => concat!(env!("CARGO_PKG_VERSION"), " (", env!("GAINSAY_COMMIT"), ")"),
};

/// The command line with its commands grouped in the help.
pub fn grouped() -> Command {
    let command = Gainsay::command();
    let overview = overview(&command);
    let end = format!("{OVERVIEW_END}\n\n{EXIT_CODES_HELP}");
    command.before_help(overview).after_help(end).help_template(OVERVIEW_TEMPLATE)
}

/// The colours of help and of usage errors, which clap prints before it has read the arguments.
pub fn early_color(arguments: impl IntoIterator<Item = OsString>) -> ColorChoice {
    let words = arguments.into_iter().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.take_while(|word| word != "--").collect();
    let value = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--color") {
        Some("") => words.get(at + 1).cloned(),
        Some(value) => value.strip_prefix('=').map(str::to_owned),
        None => None,
    });
    value.and_then(|value| ColorChoice::from_str(&value, false).ok()).unwrap_or(ColorChoice::Auto)
}

/// The flags that all commands share, which clap passes down to the command that was given.
pub fn output_args(matches: &ArgMatches) -> OutputArgs {
    let mut innermost = matches;
    while let Some((_, inner)) = innermost.subcommand() {
        innermost = inner;
    }
    OutputArgs::from_arg_matches(innermost).unwrap_or_else(|error| error.exit())
}

fn overview(command: &Command) -> String {
    let width = COMMAND_GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, names) in COMMAND_GROUPS {
        text += &format!("{title}:\n");
        for name in *names {
            let about = match command.find_subcommand(name).and_then(Command::get_about) {
                Some(about) => about.to_string(),
                None => "Explain a command, with examples".to_owned(),
            };
            text += &format!("  {name:width$}  {}\n", about.trim_end_matches('.'));
        }
        text += "\n";
    }
    text + "Options:"
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::error::ErrorKind;
    use gainsay_engine::solver::name::split_words;

    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Gainsay::command();
        let grouped: Vec<&str> = COMMAND_GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let places = grouped.iter().filter(|name| **name == sub.get_name()).count();
            assert_eq!(places, 1, "{} is in {places} groups of the help", sub.get_name());
        }
        for name in grouped.iter().filter(|name| **name != "help") {
            assert!(command.find_subcommand(name).is_some(), "the help lists {name}, which does not exist");
        }
    }

    /// The documents for users.
    fn documents() -> Vec<(String, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let book = std::fs::read_dir(root.join("docs")).unwrap().map(|file| file.unwrap().path());
        let pages = book.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
        let all =
            pages.chain([root.join("README.md"), root.join("corpus/README.md"), root.join("bugs/README.md")]);
        all.map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect()
    }

    /// The lines of code blocks that run gainsay, without comments, pipes and redirections.
    fn commands(text: &str) -> Vec<String> {
        let blocks =
            text.split("\n```").enumerate().filter(|(place, _)| place % 2 == 1).map(|(_, block)| block);
        let lines = blocks
            .flat_map(|block| block.replace("\\\n", " ").lines().map(str::to_owned).collect::<Vec<_>>());
        let lines = lines.map(|line| line.trim_start_matches("$ ").trim_start_matches("- run: ").to_owned());
        lines
            .filter(|line| line.starts_with("gainsay "))
            .map(|line| {
                let end = [" #", " > ", " | ", " || "].iter().filter_map(|mark| line.find(mark)).min();
                line[..end.unwrap_or(line.len())].trim_end().to_owned()
            })
            .collect()
    }

    #[test]
    fn every_command_in_the_documents_is_one_that_gainsay_reads() {
        let mut count = 0;
        for (path, text) in documents() {
            for line in commands(&text) {
                let words = split_words(&line).unwrap_or_else(|| panic!("{path}: {line}"));
                let read = grouped().try_get_matches_from(&words);
                let is_help = |error: &clap::Error| {
                    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
                };
                if let Err(error) = read
                    && !is_help(&error)
                    && words.get(1).is_none_or(|word| word != "help")
                {
                    panic!("{path}: {line}\n{error}");
                }
                count += 1;
            }
        }
        assert!(count > 40, "only {count} commands were found");
    }
}
