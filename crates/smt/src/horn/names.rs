//! Names that are taken, and others.
//!
//! What is free follows from what a script says, never from what its arena remembers: a script and its copy that was read
//! again get the same new names.

use rustc_hash::FxHashSet;

use crate::arena::Arena;
use crate::command::Command;
use crate::script::Script;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Term, View};
use crate::{Word, variables};

/// The names of a script, and those that were given since.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    taken: FxHashSet<Symbol>,
}

impl Names {
    /// The names that a script uses.
    pub fn of(script: &Script) -> Names {
        let mut names = Names::default();
        let mut seen = FxHashSet::default();
        for command in &script.commands {
            names.declared(command);
            for (position, term) in command.terms().into_iter().enumerate() {
                names.taken.extend(command.parameters(position).iter().map(|variable| variable.name));
                names.add(script.arena(), term, &mut seen);
            }
        }
        names
    }

    fn declared(&mut self, command: &Command) {
        match command {
            Command::Declare(_, name, ..) | Command::DeclareSort(name, _) | Command::DefineSort(name, ..) => {
                self.taken.insert(*name);
            }
            Command::Define(_, definition) => {
                self.taken.insert(definition.name);
            }
            Command::DefineFunsRec(definitions) => {
                self.taken.extend(definitions.iter().map(|definition| definition.name));
            }
            Command::DeclareDatatypes(_, datatypes) => {
                for constructor in datatypes.iter().flat_map(|datatype| &datatype.constructors) {
                    self.taken.insert(constructor.name);
                    self.taken.extend(constructor.fields.iter().map(|(selector, _)| *selector));
                }
                self.taken.extend(datatypes.iter().map(|datatype| datatype.name));
            }
            _ => {}
        }
    }

    /// The names in a term.
    fn add(&mut self, arena: &Arena, term: Term, seen: &mut FxHashSet<Term>) {
        self.taken.extend(variables::bound(arena, term).iter().map(|variable| variable.name));
        let mut open = vec![term];
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            match arena.view(next) {
                View::Variable(name) => self.taken.extend([name]),
                View::Application(head, _) => self.taken.extend([head.symbol]),
                _ => {}
            }
            open.extend(arena.children(next));
        }
    }

    /// A name that nothing has, like this one.
    pub fn fresh(&mut self, arena: &mut Arena, like: &str) -> Symbol {
        // What was fresh once is made fresh again without its old number.
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

/// Constants with new names, one after the other.
pub(super) struct Fresh {
    stem: &'static str,
    next: usize,
    names: Names,
}

impl Fresh {
    pub fn new(stem: &'static str, names: Names) -> Fresh {
        Fresh { stem, next: 0, names }
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
