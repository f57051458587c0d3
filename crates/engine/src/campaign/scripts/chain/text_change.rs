//! The change of a script's text by a step: as small as its strategy says.

use std::ops::Range;

use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Script, Word};

use crate::strategy::Proposal;

/// New texts for the commands of a script.
pub enum TextChange {
    /// For one command, of which only the bytes in the range change.
    Place(usize, String, Range<usize>),
    /// For one command.
    Command(usize, String),
    /// For all commands.
    All(Vec<String>),
}

impl TextChange {
    /// The text change of a proposal.
    pub fn of(proposal: &Proposal, before: &Script, pieces: &[String]) -> TextChange {
        let (arena, commands) = (proposal.script.arena(), &proposal.script.commands);
        let Some(edit) = &proposal.edit else {
            return TextChange::All(commands.iter().map(|command| command_text(arena, command)).collect());
        };
        let number = edit.command;
        match edit.text(arena, &before.commands[number], &pieces[number]) {
            Some((text, range)) => TextChange::Place(number, text, range),
            None => TextChange::Command(number, command_text(arena, &commands[number])),
        }
    }

    /// Applies the change; returns the change that undoes it.
    pub fn swap(self, pieces: &mut Vec<String>) -> TextChange {
        match self {
            TextChange::Place(number, text, range) => {
                TextChange::Place(number, std::mem::replace(&mut pieces[number], text), range)
            }
            TextChange::Command(number, text) => {
                TextChange::Command(number, std::mem::replace(&mut pieces[number], text))
            }
            TextChange::All(texts) => TextChange::All(std::mem::replace(pieces, texts)),
        }
    }
}

/// Returns true if two commands of unnamed terms declare the same symbols, and are of the kinds that strategies change.
pub fn declare_alike(a: &Command, b: &Command) -> bool {
    match (a, b) {
        (Command::Term(Word::Assert, ..), Command::Term(Word::Assert, ..)) => true,
        (Command::Define(word, a), Command::Define(other, b)) => {
            (word, a.name, &a.parameters, a.result) == (other, b.name, &b.parameters, b.result)
        }
        _ => false,
    }
}
