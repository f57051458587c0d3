//! Marks: lines that gainsay makes a solver print, to tell which part of the output answers which command.
//!
//! ```text
//! (get-info :name)                                              (:name "Z3")
//! (echo "gainsay-41c6-question")(check-sat)(echo "gainsay-41c6-end")      gainsay-41c6-question
//!                                                               sat
//!                                                               gainsay-41c6-end
//! (simplify unsat)                                              unsat
//! ```
//!
//! A script may print anything: a datatype with a constructor `unsat`, a value with a line break, an objective. So only the
//! text between the marks of a check counts as its answer. The marks contain a random token, which no script can guess. A
//! script whose commands print nothing but answers is sent without marks.
//!
//! Options get marks, too, but for those that change the meaning of a script. A solver that lacks one prints `unsupported` or an
//! error and continues; that is a remark about the option, not about the script. So do commands that change no later answer
//! (`get-info`, `labels`): an error in one is no reason to doubt the answers.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use crate::outline::{Outline, ScriptCommand};
use crate::run::{Answer, Exit, OutputPlaces};

/// The token that all marks of one driver begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkToken(String);

impl MarkToken {
    /// A new token, which no script can guess.
    pub fn random() -> Self {
        // The keys of a `RandomState` come from the system.
        MarkToken(format!("gainsay-{:016x}", RandomState::new().hash_one(std::process::id())))
    }

    /// The line for a word: `gainsay-41c6-question`.
    pub fn line(&self, word: &str) -> String {
        format!("{self}-{word}")
    }
}

impl Default for MarkToken {
    fn default() -> Self {
        MarkToken("gainsay".to_owned())
    }
}

impl fmt::Display for MarkToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A command of a script that gets marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkedCommand {
    Question,
    Option,
    /// It changes no later answer.
    Inert,
}

impl MarkedCommand {
    const ALL: [MarkedCommand; 3] = [MarkedCommand::Question, MarkedCommand::Option, MarkedCommand::Inert];

    fn word(self) -> &'static str {
        match self {
            MarkedCommand::Question => "question",
            MarkedCommand::Option => "option",
            MarkedCommand::Inert => "inert",
        }
    }
}

const END_WORD: &str = "end";

/// The reply to a command with `print-success`.
const SUCCESS: &str = "success";

/// Adds marks around the checks of a script, its options and its commands that change no answer. `None` if it needs no marks, or is
/// not a sequence of commands.
pub fn marked(
    script: &str,
    outline: &Outline<'_>,
    token: &MarkToken,
    changes_meaning: impl Fn(&str) -> bool,
) -> Option<String> {
    // Where there is no answer to lose, the solver gets a script as it is: even an echo changes where it crashes.
    let has_question = outline.commands.iter().any(ScriptCommand::is_question);
    let kind = |command: &ScriptCommand<'_>| match command.name {
        _ if command.is_question() => Some(MarkedCommand::Question),
        "set-option" if !changes_meaning(command.argument()) => Some(MarkedCommand::Option),
        name if has_question && gainsay_smt::is_inert_command(name) => Some(MarkedCommand::Inert),
        _ => None,
    };
    let is_plain = |command: &ScriptCommand<'_>| {
        kind(command) != Some(MarkedCommand::Option) && !may_print(command) && !breaks_lines(command.text)
    };
    if !outline.clean || outline.commands.iter().all(is_plain) {
        return None;
    }
    let mut text = String::with_capacity(script.len() + 128 * outline.commands.len());
    let mut at = 0;
    for command in &outline.commands {
        let Some(kind) = kind(command) else { continue };
        let end = command.start + command.text.len();
        text.push_str(&script[at..command.start]);
        text.push_str(&format!("(echo \"{}\")", token.line(kind.word())));
        text.push_str(&script[command.start..end]);
        text.push_str(&format!("(echo \"{}\")", token.line(END_WORD)));
        at = end;
    }
    text.push_str(&script[at..]);
    Some(text)
}

fn may_print(command: &ScriptCommand<'_>) -> bool {
    !command.is_question() && !gainsay_smt::is_quiet_command(command.name)
}

/// Returns true if a quoted symbol or a string contains a line break: a message that quotes it could print a word of the script on
/// a line of its own.
fn breaks_lines(text: &str) -> bool {
    let mut quote = None;
    for byte in text.bytes() {
        match (byte, quote) {
            (b'\n', Some(b'"' | b'|')) => return true,
            (b'\n', Some(b';')) => quote = None,
            (b'"' | b'|' | b';', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open && open != b';' => quote = None,
            _ => {}
        }
    }
    false
}

/// The contents of an output with marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkedOutput {
    /// The output without marks and remarks.
    pub rest: Vec<u8>,
    /// The answers in order, up to the first check without one.
    pub answers: Vec<Answer>,
    /// Where they are in the rest.
    pub places: OutputPlaces,
    /// Remarks about options.
    pub remarks: Vec<String>,
}

/// Reads an output with marks; `None` if it has none. An incomplete last line counts only if the solver exited by itself.
pub fn read_marked(output: &[u8], token: &MarkToken, exit: Exit) -> Option<MarkedOutput> {
    let mut read = MarkedOutput::default();
    let mut open: Option<(MarkedCommand, Vec<u8>)> = None;
    let (mut found, mut missing) = (false, false);
    let mut close = |open: &mut Option<(MarkedCommand, Vec<u8>)>, read: &mut MarkedOutput| match open.take() {
        Some((MarkedCommand::Question, text)) => {
            let answer = answer_in(&text, exit);
            missing |= answer.is_none();
            read.rest.extend_from_slice(&text);
            if let Some(answer) = answer.filter(|_| !missing) {
                read.answers.push(answer);
                read.places.answer_ends.push(read.rest.len());
            }
        }
        Some((MarkedCommand::Option, text)) => {
            let said = String::from_utf8_lossy(text.trim_ascii()).into_owned();
            read.remarks.extend(Some(said).filter(|said| !said.is_empty() && said != SUCCESS));
        }
        Some((MarkedCommand::Inert, text)) => {
            let start = read.rest.len();
            read.rest.extend_from_slice(&text);
            read.places.inert.push(start..read.rest.len());
        }
        None => {}
    };
    for line in output.split_inclusive(|&byte| byte == b'\n') {
        match mark(line, token) {
            Some(word) => {
                found = true;
                close(&mut open, &mut read);
                open = MarkedCommand::ALL
                    .into_iter()
                    .find(|kind| kind.word() == word)
                    .map(|kind| (kind, Vec::new()));
            }
            None => match &mut open {
                Some((_, text)) => text.extend_from_slice(line),
                None => read.rest.extend_from_slice(line),
            },
        }
    }
    close(&mut open, &mut read);
    found.then_some(read)
}

/// The word of a mark; some solvers print the mark in quotes.
fn mark<'a>(line: &'a [u8], token: &MarkToken) -> Option<&'a str> {
    let line = std::str::from_utf8(line).ok()?.trim();
    let line = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or(line);
    line.strip_prefix(token.0.as_str())?.strip_prefix('-')
}

/// The first answer on a line of its own.
fn answer_in(text: &[u8], exit: Exit) -> Option<Answer> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let whole = lines.filter(|line| line.ends_with(b"\n") || matches!(exit, Exit::Code(_)));
    whole.into_iter().find_map(|line| Answer::from_word(line.trim_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::outline;

    fn mark_script(script: &str) -> Option<String> {
        marked(script, &outline(script), &MarkToken::default(), |option| option == ":global-declarations")
    }

    #[test]
    fn a_script_that_prints_only_answers_is_sent_as_it_is() {
        let plain = "(set-option :global-declarations true)(declare-const |a b| Int)(assert (> |a b| 0)) ; \"x\n(check-sat)(exit)";
        assert_eq!(mark_script(plain), None);
        assert_eq!(mark_script("(get-info :name"), None);
    }

    #[test]
    fn questions_options_and_commands_that_change_no_answer_get_marks() {
        let marks = mark_script("(set-option :foo 1)\n(simplify unsat)\n(check-sat)\n");
        let expected = "(echo \"gainsay-option\")(set-option :foo 1)(echo \"gainsay-end\")\n\
            (echo \"gainsay-inert\")(simplify unsat)(echo \"gainsay-end\")\n\
            (echo \"gainsay-question\")(check-sat)(echo \"gainsay-end\")\n";
        assert_eq!(marks.as_deref(), Some(expected));
        let broken = "(declare-const |a\nunsat\n| Int)(check-sat)";
        assert!(mark_script(broken).is_some());
    }

    #[test]
    fn a_script_without_a_question_is_sent_as_it_is() {
        let script = "(assert (= #b0 #b0))(apply bv1-blast)";
        assert!(mark_script(script).is_none_or(|marked| marked == script));
    }

    fn check(output: &str, exit: Exit, answers: &[Answer], remarks: &[&str], rest: &str) {
        let read = read_marked(output.as_bytes(), &MarkToken::default(), exit).unwrap();
        assert_eq!(
            (read.answers.as_slice(), read.remarks),
            (answers, remarks.iter().map(|r| (*r).to_owned()).collect())
        );
        assert_eq!(String::from_utf8_lossy(&read.rest), rest);
    }

    #[test]
    fn only_what_stands_between_marks_is_an_answer() {
        let output = "unsat\ngainsay-question\nsat\ngainsay-end\nunsat\n\"gainsay-question\"\nunknown\n\"gainsay-end\"\nsat\n";
        check(
            output,
            Exit::Code(0),
            &[Answer::Sat, Answer::Unknown],
            &[],
            "unsat\nsat\nunsat\nunknown\nsat\n",
        );
    }

    #[test]
    fn what_is_said_of_an_option_is_a_remark() {
        let output = "gainsay-option\nunsupported\ngainsay-end\ngainsay-option\ngainsay-end\ngainsay-question\nunsat\ngainsay-end\n";
        check(output, Exit::Code(0), &[Answer::Unsat], &["unsupported"], "unsat\n");
    }

    #[test]
    fn the_places_of_answers_and_of_replies_that_concern_none_are_known() {
        let output = "gainsay-question\nsat\ngainsay-end\ngainsay-inert\n(error \"a\")\ngainsay-end\n(error \"b\")\ngainsay-question\nsat\ngainsay-end\n";
        let read = read_marked(output.as_bytes(), &MarkToken::default(), Exit::Code(0)).unwrap();
        assert_eq!(String::from_utf8_lossy(&read.rest), "sat\n(error \"a\")\n(error \"b\")\nsat\n");
        assert_eq!(read.places.answer_ends, [4, 32]);
        assert!(read.places.inert.iter().eq([&(4..16)]), "{:?}", read.places);
    }

    #[test]
    fn answers_end_at_the_first_question_without_one() {
        let output = "gainsay-question\n(error \"no\")\ngainsay-end\ngainsay-question\nsat\ngainsay-end\n";
        check(output, Exit::Code(1), &[], &[], "(error \"no\")\nsat\n");
        check("gainsay-question\nsat", Exit::Signal(9), &[], &[], "sat");
        check("gainsay-question\nsat", Exit::Code(0), &[Answer::Sat], &[], "sat");
    }

    #[test]
    fn an_output_without_marks_has_no_marked_reading() {
        assert_eq!(read_marked(b"sat\n", &MarkToken::default(), Exit::Code(0)), None);
    }

    #[test]
    fn two_tokens_differ() {
        assert_ne!(MarkToken::random(), MarkToken::random());
    }
}
