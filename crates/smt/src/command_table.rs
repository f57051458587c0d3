//! The commands that gainsay knows, read from the table `theories/commands.txt`.
//!
//! ```text
//! bare get-assertions get-assignment
//! text apply block-model echo
//! quiet assert push pop
//! inert labels simplify
//! ```

use rustc_hash::FxHashMap;

const COMMAND_ROWS: &str = include_str!("../theories/commands.txt");

/// How the parser reads a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CommandShape {
    /// The parser reads its sorts, terms, names and numbers.
    Parsed,
    /// It has no arguments.
    Bare,
    /// Its arguments are kept as text.
    Text,
}

/// The known commands with their shapes.
#[derive(Debug)]
pub(crate) struct CommandTable {
    shapes: FxHashMap<&'static str, CommandShape>,
}

impl CommandTable {
    pub fn standard() -> CommandTable {
        let mut shapes = FxHashMap::default();
        for line in COMMAND_ROWS.lines().filter(|line| !line.is_empty() && !line.starts_with(';')) {
            let mut words = line.split_whitespace();
            let shape = match words.next() {
                Some("quiet" | "inert") => continue,
                Some("parsed") => CommandShape::Parsed,
                Some("bare") => CommandShape::Bare,
                Some("text") => CommandShape::Text,
                other => panic!("theories/commands.txt: unknown shape {other:?}"),
            };
            shapes.extend(words.map(|name| (name, shape)));
        }
        CommandTable { shapes }
    }

    /// The shape of a command; `None` if the command is unknown.
    pub fn shape(&self, name: &str) -> Option<CommandShape> {
        self.shapes.get(name).copied()
    }

    /// The names of all known commands, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.shapes.keys().copied()
    }
}

/// Returns true if a command prints nothing but errors, by the table of commands.
///
/// ```
/// assert!(gainsay_smt::is_quiet_command("assert") && gainsay_smt::is_quiet_command("declare-fun"));
/// assert!(!gainsay_smt::is_quiet_command("check-sat") && !gainsay_smt::is_quiet_command("simplify"));
/// ```
pub fn is_quiet_command(name: &str) -> bool {
    name.starts_with("declare-") || name.starts_with("define-") || has_row("quiet", name)
}

/// Returns true if a command changes no later answer, whatever a solver replies to it, by the table of commands.
///
/// ```
/// assert!(gainsay_smt::is_inert_command("get-model") && gainsay_smt::is_inert_command("labels"));
/// assert!(!gainsay_smt::is_inert_command("assert") && !gainsay_smt::is_inert_command("get-timeout-core"));
/// ```
pub fn is_inert_command(name: &str) -> bool {
    name.starts_with("get-") && !name.starts_with("get-timeout-core") || has_row("inert", name)
}

/// Returns true if a row of this kind has the name.
fn has_row(kind: &str, name: &str) -> bool {
    let mut rows =
        COMMAND_ROWS.lines().filter_map(|line| line.split_once(' ')).filter(|(first, _)| *first == kind);
    rows.any(|(_, row)| row.split_whitespace().any(|other| other == name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, Script, Signature};

    #[test]
    fn the_parser_knows_every_command_of_the_table() {
        let signature = Signature::standard();
        for name in CommandTable::standard().names() {
            match Script::parse(&format!("({name})"), &signature) {
                Ok(script) => assert!(!matches!(script.commands[0], Command::Opaque(_)), "{name}"),
                Err(error) => assert!(!error.to_string().contains("unknown command"), "{name}: {error}"),
            }
        }
    }

    #[test]
    fn every_quiet_command_is_one_of_the_table() {
        let table = CommandTable::standard();
        let rows = COMMAND_ROWS.lines().filter_map(|line| line.strip_prefix("quiet "));
        let quiet: Vec<&str> = rows.flat_map(str::split_whitespace).collect();
        assert!(quiet.len() > 10 && quiet.iter().all(|name| table.shape(name).is_some()), "{quiet:?}");
    }

    #[test]
    fn a_slip_in_any_command_gets_a_suggestion() {
        let signature = Signature::standard();
        for name in CommandTable::standard().names().filter(|name| name.len() > 3) {
            let slip = format!("{name}x");
            if CommandTable::standard().shape(&slip).is_none() {
                let error = Script::parse(&format!("({slip})"), &signature).expect_err(&slip).to_string();
                assert!(error.contains("did you mean "), "{slip}: {error}");
            }
        }
        let message = |text: &str| Script::parse(text, &signature).unwrap_err().to_string();
        assert_eq!(
            message("(declare-rle p (Int))"),
            "1:1: unknown command declare-rle; did you mean declare-rel?"
        );
        assert_eq!(message("(minimise x)"), "1:1: unknown command minimise; did you mean minimize?");
    }
}
