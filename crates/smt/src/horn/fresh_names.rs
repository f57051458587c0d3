//! Names in use, and fresh ones.
//!
//! A fresh name depends only on the commands of a script, never on the history of its arena: a script and its reread copy
//! get the same fresh names.

use rustc_hash::FxHashSet;

use crate::Word;
use crate::arena::Arena;
use crate::command::Command;
use crate::script::Script;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Term, TermView};

/// The names of a script, and those made since.
#[derive(Debug, Clone, Default)]
pub(super) struct UsedNames {
    taken: FxHashSet<Symbol>,
}

impl UsedNames {
    /// The names that a script uses.
    pub fn of(script: &Script) -> UsedNames {
        let mut taken = script.declared_names();
        let arena = script.arena();
        for term in arena.reachable(script.commands.iter().flat_map(Command::terms)) {
            match arena.view(term) {
                TermView::Variable(name) => drop(taken.insert(name)),
                TermView::Application(head, _) => drop(taken.insert(head.symbol)),
                _ => {}
            }
        }
        UsedNames { taken }
    }

    /// A fresh name like this one.
    pub fn fresh(&mut self, arena: &mut Arena, like: &str) -> Symbol {
        // A name made fresh before loses its old number.
        let stem = like.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches('~');
        let stem = if stem.is_empty() { "v" } else { stem };
        let mut numbers = 0..;
        loop {
            let number: u64 = numbers.next().expect("there are more numbers than names");
            let name = arena.symbol(&format!("{stem}~{number}"));
            if self.taken.insert(name) {
                return name;
            }
        }
    }
}

/// Fresh constants, one after the other.
pub(super) struct FreshConstants {
    stem: &'static str,
    next: usize,
    names: UsedNames,
}

impl FreshConstants {
    pub fn new(stem: &'static str, names: UsedNames) -> FreshConstants {
        FreshConstants { stem, next: 0, names }
    }

    /// The next constant of a sort, declared by a command.
    pub fn constant(&mut self, arena: &mut Arena, sort: Sort, commands: &mut Vec<Command>) -> Term {
        let name = loop {
            let name = arena.symbol(&format!("{}~{}", self.stem, self.next));
            self.next += 1;
            if self.names.taken.insert(name) {
                break name;
            }
        };
        commands.push(Command::Declare(Word::DeclareConst, name, [].into(), sort));
        let sort = arena.canonical(sort);
        arena.application(Head::plain(name), &[], sort)
    }
}
