//! What identifies a change from one round to the next, so that what failed is not tried again for nothing.
//!
//! Places and terms have other numbers in every round; texts and what is next to them stay.

use std::hash::{Hash, Hasher};

use gainsay_smt::print::{command_text, head_text, term_text};
use gainsay_smt::{Script, Term, View as TermView};
use rustc_hash::{FxHashMap, FxHasher};

use super::{Change, View};

/// What identifies each change: what it does, and what is around it. What failed once is tried again when that is another.
///
/// Whether a command can be left out depends on all others, so that is tried again when there are fewer of them.
pub fn marks(pass: usize, script: &Script, view: &View, batches: &[Vec<Change>]) -> Vec<Vec<u64>> {
    let arena = script.arena();
    let places = view.places.list();
    let mut hashes = Hashes { script, known: FxHashMap::default() };
    let whole = hash(script.commands.iter().map(|command| command_text(arena, command)).collect::<Vec<_>>());
    let mut around = |place: usize| match places[place].parent {
        Some((parent, child)) => (hashes.of(places[parent].term), child),
        None => (hashes.of(places[place].term), usize::MAX),
    };
    let mut mark = |batch: usize, number: usize, change: &Change| match change {
        Change::Drop(command) => {
            hash((pass, command_text(arena, &script.commands[*command]), script.commands.len()))
        }
        Change::Command(..) | Change::Whole(_) => hash((pass, batch, whole, number)),
        Change::Place(place, term) => hash((pass, batch, around(*place), term_text(arena, *term))),
        Change::Hoist(place, lower) => hash((pass, batch, around(*place), lower - place)),
        Change::Omit(place) => hash((pass, batch, around(*place))),
        Change::Replace(old, new) => {
            hash((pass, batch, term_text(arena, *old), term_text(arena, *new), view.count(*old)))
        }
        Change::Abstract(old, ..) => hash((pass, batch, term_text(arena, *old), view.count(*old))),
    };
    let of_batch = |(batch, changes): (usize, &Vec<Change>)| {
        changes.iter().enumerate().map(|(number, change)| mark(batch, number, change)).collect()
    };
    batches.iter().enumerate().map(of_batch).collect()
}

/// Hashes of terms that do not depend on their numbers.
struct Hashes<'a> {
    script: &'a Script,
    known: FxHashMap<Term, u64>,
}

impl Hashes<'_> {
    fn of(&mut self, term: Term) -> u64 {
        let arena = self.script.arena();
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            let before = open.len();
            open.extend(arena.children(next).iter().filter(|child| !self.known.contains_key(child)));
            if open.len() == before {
                open.pop();
                let children: Vec<u64> = arena.children(next).iter().map(|child| self.known[child]).collect();
                let own = match arena.view(next) {
                    TermView::Literal(_, text) | TermView::Variable(text) | TermView::Opaque(text) => {
                        hash(arena.text(text))
                    }
                    TermView::Application(head, _) => hash(head_text(arena, head)),
                    other => hash(std::mem::discriminant(&other)),
                };
                self.known.insert(next, hash((own, children)));
            }
        }
        self.known[&term]
    }
}

/// A number for a value, the same in every run.
pub fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
