//! The commands of other tools are translated into a command line of gainsay, printed once, and run.
//!
//! The printed command is the one that is parsed and run, so that users can copy it.

use clap::{Args, Command, FromArgMatches};
use gainsay_engine::shell;

use crate::console;

/// Prints the native command line once.
pub fn announce(words: &[String]) {
    let line: Vec<String> = words.iter().map(|word| shell::quoted_word(word)).collect();
    console::err(format_args!("gainsay: the native command is: gainsay {}", line.join(" ")));
}

/// Reads the arguments of a command of gainsay; the first word is the command.
pub fn read<A: Args + FromArgMatches>(words: &[String]) -> Result<A, clap::Error> {
    let command = A::augment_args(Command::new("gainsay"));
    A::from_arg_matches(&command.try_get_matches_from(words)?)
}
