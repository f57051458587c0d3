//! Prints to standard output and standard error: the one place that text passes through on its way to a terminal.
//!
//! Names of files, output of solvers and parts of scripts may hold anything, such as escape sequences that clear the screen or change
//! the title of a window, or characters that reverse the order of text. They are shown, not sent: `\u001b[2J`. The notation is that of
//! JSON, so that `--json` stays valid.
//!
//! Errors and warnings are always printed ([`err`]); `-q` silences [`progress`], and `-v` adds [`detail`]. Colours only help to find
//! a line again, and are added after the text was made harmless.
//!
//! A closed pipe or terminal is not an error: `println!` and `eprintln!` would panic then. A full disk under standard output ends the
//! program with an error: the output is lost.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use indicatif::ProgressBar;

use crate::exit;

/// The heading of these flags in the help.
const OUTPUT_HEADING: &str = "Output";

/// The flags of every command that say how much to print, and how.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct OutputArgs {
    /// When to use colours; a non-empty NO_COLOR turns them off unless this says always.
    #[arg(long, global = true, default_value = "auto", value_name = "WHEN", help_heading = OUTPUT_HEADING)]
    color: ColorChoice,
    /// Print results, warnings and errors only: no progress.
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = OUTPUT_HEADING)]
    quiet: bool,
    /// Print details to standard error as well: which program each solver is, and which folders are used.
    #[arg(long, short, global = true, help_heading = OUTPUT_HEADING)]
    verbose: bool,
}

/// How much to print, chosen once by the command line.
static CHOSEN_OUTPUT: OnceLock<OutputArgs> = OnceLock::new();

/// Chooses how much to print; the first choice stays.
pub fn set_up(args: OutputArgs) {
    match args.color {
        ColorChoice::Always => ratatui::crossterm::style::force_color_output(true),
        ColorChoice::Never => ratatui::crossterm::style::force_color_output(false),
        ColorChoice::Auto => {}
    }
    let _ = CHOSEN_OUTPUT.set(args);
}

/// Returns true if `-q` was given.
pub fn is_quiet() -> bool {
    CHOSEN_OUTPUT.get().is_some_and(|args| args.quiet)
}

/// Prints a line about the progress on standard error, unless `-q` was given.
pub fn progress(line: impl Display) {
    if !is_quiet() {
        err(line);
    }
}

/// Prints a detail on standard error if `-v` was given.
pub fn detail(line: impl Display) {
    if CHOSEN_OUTPUT.get().is_some_and(|args| args.verbose) {
        err(format_args!("gainsay: {line}"));
    }
}

/// Returns true if progress bars are shown: on a terminal, unless `-q` was given.
pub fn shows_bars() -> bool {
    !is_quiet() && std::io::stderr().is_terminal()
}

/// A progress bar, which is hidden where progress bars are not shown.
pub fn bar(make: impl FnOnce() -> ProgressBar) -> ProgressBar {
    if shows_bars() { make() } else { ProgressBar::hidden() }
}

/// The colour of a line on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineColour {
    /// Something is wrong.
    Red,
    /// All is well.
    Green,
    /// Undecided.
    Yellow,
}

impl LineColour {
    fn style(self) -> Style {
        let colour = match self {
            LineColour::Red => AnsiColor::Red,
            LineColour::Green => AnsiColor::Green,
            LineColour::Yellow => AnsiColor::Yellow,
        };
        colour.on_default().bold()
    }

    /// A harmless line in this colour, if standard output shows colours.
    pub fn paint(self, line: &str) -> String {
        let style = self.style();
        if shows_colours() { format!("{style}{line}{style:#}") } else { line.to_owned() }
    }
}

/// Returns true if standard output shows colours.
fn shows_colours() -> bool {
    match CHOSEN_OUTPUT.get().map_or(ColorChoice::Auto, |args| args.color) {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => std::io::stdout().is_terminal() && !crate::environment::forbids_colours(),
    }
}

/// Prints a line on standard output in a colour.
pub fn out_in(colour: LineColour, line: impl Display) {
    print_out(&colour.paint(&harmless(&line.to_string())));
}

/// Prints a line on standard output; ends the program if that is a file on a full disk.
pub fn out(line: impl Display) {
    print_out(&harmless(&line.to_string()));
}

/// Prints a harmless line.
fn print_out(line: &str) {
    let mut out = std::io::stdout().lock();
    let printed = writeln!(out, "{line}").and_then(|()| out.flush());
    if let Err(error) = printed
        && error.kind() == ErrorKind::StorageFull
    {
        err(format_args!("gainsay: cannot write to standard output: {error}"));
        std::process::exit(exit::EXIT_DISK.into());
    }
}

/// Prints a line on standard error.
pub fn err(line: impl Display) {
    let line = line.to_string();
    // A failure here cannot be reported anywhere.
    let _ = writeln!(std::io::stderr(), "{}", harmless(&line));
}

/// Writes data, such as a script, to standard output: byte for byte, except on a terminal.
pub fn data(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let text = if out.is_terminal() { harmless(text) } else { Cow::Borrowed(text) };
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// The text with escapes for all characters that control a terminal, or hide or reorder text; line breaks and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_harmful(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Returns true for control characters except line breaks and tabs, and for those that hide or reorder text.
pub fn is_harmful(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        letter => letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_hidden_characters_are_shown() {
        assert_eq!(harmless("a\x1b]0;x\x07\r\u{9b}2J\u{7f}"), "a\\u001b]0;x\\u0007\\u000d\\u009b2J\\u007f");
        assert_eq!(harmless("\u{202e}\u{2066}\u{200b}\u{feff}"), "\\u202e\\u2066\\u200b\\ufeff");
        assert_eq!(harmless("\u{e0041}"), "\\udb40\\udc41");
    }

    #[test]
    fn other_text_is_left_alone() {
        let text = "line\n\tzwei é 漢字 → 1\u{202f}000";
        assert!(matches!(harmless(text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn json_stays_json_and_keeps_its_meaning() {
        let value = serde_json::json!({ "said": "\x1b[2J\u{9b}\u{202e}\u{e0041}\n" });
        let shown = harmless(&value.to_string()).into_owned();
        assert!(!shown.chars().any(is_harmful));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).ok(), Some(value));
    }
}
