//! Scripts: a sequence of commands over one arena.
//!
//! A script is a value. Cloning one shares the arena; the first edit of a clone copies it, which is a
//! handful of flat vectors and costs less than printing the script once.

use std::fmt;
use std::sync::Arc;

use crate::arena::Arena;
use crate::command::{Command, Word};
use crate::error::Error;
use crate::print::Printer;
use crate::signature::Signature;
use crate::term::Term;

/// A script: commands, and the arena that holds their names, sorts and terms.
#[derive(Clone)]
pub struct Script {
    arena: Arc<Arena>,
    /// The commands, in order.
    pub commands: Vec<Command>,
}

impl Script {
    /// A script of the given commands, whose ids are from `arena`.
    pub fn new(arena: Arena, commands: Vec<Command>) -> Script {
        Script { arena: Arc::new(arena), commands }
    }

    /// Reads and sort-checks a script.
    pub fn parse(text: &str, signature: &Arc<Signature>) -> Result<Script, Error> {
        crate::parse::parse(text, signature)
    }

    /// The names, sorts and terms.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The names, sorts and terms, to add more; a script that shares them with another gets its own.
    pub fn arena_mut(&mut self) -> &mut Arena {
        Arc::make_mut(&mut self.arena)
    }

    /// The asserted terms, in order.
    pub fn assertions(&self) -> impl Iterator<Item = Term> {
        self.commands.iter().filter_map(|command| match command {
            Command::Term(Word::Assert, term, _) => Some(*term),
            _ => None,
        })
    }

    /// The name of the logic, where the script sets one.
    pub fn logic(&self) -> Option<&str> {
        self.commands.iter().find_map(|command| match command {
            Command::SetLogic(logic) => Some(self.arena.text(*logic)),
            _ => None,
        })
    }

    /// The value of `(set-info keyword value)`, where the script has it; of the last one, if several.
    pub fn info(&self, keyword: &str) -> Option<&str> {
        self.commands.iter().rev().find_map(|command| match command {
            Command::Plain(name, text) if self.arena.text(*name) == "set-info" => {
                let (key, value) = self.arena.text(*text).split_once(char::is_whitespace)?;
                (key == keyword).then_some(value.trim())
            }
            _ => None,
        })
    }

    /// Whether a command asks for an answer: `check-sat`, `check-sat-assuming`, or z3's `check-sat-using`.
    pub fn is_check(&self, command: &Command) -> bool {
        match command {
            Command::CheckSat | Command::Terms(Word::CheckSatAssuming, _) => true,
            Command::Plain(name, _) => self.arena.text(*name) == "check-sat-using",
            _ => false,
        }
    }

    /// Whether some part of the script was not understood and is carried as text.
    pub fn has_opaque(&self) -> bool {
        self.commands.iter().any(|command| {
            matches!(command, Command::Opaque(_))
                || command.terms().iter().any(|&term| self.arena.has_opaque(term))
        })
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new().print(self))
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Script({} commands, {} terms)", self.commands.len(), self.arena.term_count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shareable<T: Send + Sync>(_: &T) {}

    #[test]
    fn a_script_is_a_value_that_threads_can_share() {
        let signature = Signature::standard();
        let script = Script::parse("(declare-const p Bool)(assert p)", &signature).unwrap();
        is_shareable(&script);
        let mut copy = script.clone();
        assert!(std::ptr::eq(script.arena(), copy.arena()), "a clone shares the arena");
        let p = copy.assertions().next().unwrap();
        let not = copy.arena_mut().symbol("not");
        let term = copy.arena_mut().application(crate::Head::plain(not), &[p], crate::Sort::BOOL);
        copy.commands[1].set_term(0, term);
        assert_eq!(script.to_string(), "(declare-const p Bool)\n(assert p)\n");
        assert_eq!(copy.to_string(), "(declare-const p Bool)\n(assert (not p))\n");
    }

    #[test]
    fn the_last_info_of_a_keyword_counts() {
        let signature = Signature::standard();
        let text = "(set-info :status sat)(set-info :source |a b|)(set-info :status unsat)(set-logic QF_UF)";
        let script = Script::parse(text, &signature).unwrap();
        assert_eq!(script.info(":status"), Some("unsat"));
        assert_eq!(script.info(":source"), Some("|a b|"));
        assert_eq!((script.info(":notes"), script.logic()), (None, Some("QF_UF")));
    }
}
