//! What identifies a change from one round to the next, so that what failed is not tried again for nothing.
//!
//! Places and terms have other numbers in every round; texts and what is next to them stay.

use std::hash::{Hash, Hasher};

use gainsay_smt::print::{command_text, head_text, term_text};
use gainsay_smt::{Command, Script, Term, View as TermView};
use rustc_hash::{FxHashMap, FxHasher};

use super::{COARSE, Change, FINE, View};

/// What identifies each change: what it does, and what is around it. What failed once is tried again when that is another.
///
/// What is inside a long term changes all the time, and is seldom the reason why the term cannot go. So for the coarse passes and
/// the fine ones a change is known by its way from the top and by about how long it is, and tried again when it has become much shorter.
pub fn marks(pass: usize, script: &Script, view: &View, batches: &[Vec<Change>]) -> Vec<Vec<u64>> {
    let arena = script.arena();
    let places = view.places.list();
    let mut hashes = Hashes { script, known: FxHashMap::default() };
    let whole = hash(script.commands.iter().map(|command| command_text(arena, command)).collect::<Vec<_>>());
    let ways = ways(script, view);
    let mut around = |place: usize| match places[place].parent {
        _ if !(COARSE..FINE).contains(&pass) => (ways[place], length(view.bytes(places[place].term))),
        Some((parent, child)) => (hashes.of(places[parent].term), child),
        None => (hashes.of(places[place].term), usize::MAX),
    };
    let mut mark = |batch: usize, number: usize, change: &Change| match change {
        Change::Drop(command) => match script.commands[*command] {
            Command::Term(word, term, _) => {
                hash((pass, word.text(), top(script, term), length(view.bytes(term))))
            }
            ref other => hash((pass, command_text(arena, other))),
        },
        Change::Whole(Some(key), _) => hash((pass, batch, key)),
        Change::Command(..) | Change::Whole(None, _) => hash((pass, batch, whole, number)),
        Change::Place(place, term) => hash((pass, batch, around(*place), term_text(arena, *term))),
        Change::Hoist(place, lower) if pass < COARSE => hash((pass, batch, around(*place), around(*lower))),
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

/// About how long something is: the same for lengths that differ by less than a third or so.
fn length(bytes: usize) -> usize {
    let bits = usize::BITS - bytes.leading_zeros();
    // The first bit says where the second is.
    2 * bits as usize + (bytes >> bits.saturating_sub(2) & 1)
}

/// What is at the top of a term: its operator and those of its arguments.
fn top(script: &Script, term: Term) -> u64 {
    let arena = script.arena();
    let of = |term: Term| operator(script, term);
    hash((of(term), arena.children(term).iter().map(|&child| of(child)).collect::<Vec<_>>()))
}

/// For each place, the operators on the way to it and which of their arguments it is in, and how many ways are the same before it.
fn ways(script: &Script, view: &View) -> Vec<u64> {
    let mut ways: Vec<u64> = Vec::new();
    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    for place in view.places.list() {
        let above = place.parent.map(|(parent, child)| (ways[parent], child));
        let way = hash((above, operator(script, place.term)));
        let before = seen.entry(way).or_default();
        ways.push(hash((way, *before)));
        *before += 1;
    }
    ways
}

/// The operator of a term, or what it is.
fn operator(script: &Script, term: Term) -> u64 {
    let arena = script.arena();
    match arena.view(term) {
        TermView::Literal(_, text) | TermView::Variable(text) | TermView::Opaque(text) => {
            hash(arena.text(text))
        }
        TermView::Application(head, _) => hash(head_text(arena, head)),
        other => hash(std::mem::discriminant(&other)),
    }
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
                self.known.insert(next, hash((operator(self.script, next), children)));
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

#[cfg(test)]
mod tests {
    use super::super::{ALL, Pass};
    use super::*;
    use gainsay_smt::Signature;

    /// The marks of all changes of a pass.
    fn of(pass: &str, text: &str) -> Vec<u64> {
        let number = ALL.iter().position(|other| other.name() == pass).unwrap();
        let mut script = Script::parse(text, &Signature::standard()).unwrap();
        let view = View::of(&script);
        let batches = Pass::changes(ALL[number], &mut script, &view);
        marks(number, &script, &view, &batches).concat()
    }

    #[test]
    fn what_is_little_shorter_is_known_and_what_is_much_shorter_is_not() {
        let script = |inner: &str| {
            format!("(declare-const x Int)(assert (or (< 1 2) (= {inner} (+ 1 2 3 4 5 6 7 8 9))))")
        };
        let before = of("arguments", &script("(* x x x x x x x x x x x x)"));
        let after = of("arguments", &script("(* x x x x x x x x x x x)"));
        assert!(before[..2].iter().all(|mark| after.contains(mark)));
        let after = of("arguments", &script("x"));
        assert!(!before[..2].iter().all(|mark| after.contains(mark)));
        assert_eq!([16, 23, 24, 31, 32].map(length), [10, 10, 11, 11, 12]);
    }

    #[test]
    fn a_width_that_failed_is_known_whatever_else_changes() {
        let script = |more: &str| format!("(declare-const x (_ BitVec 8))(assert (= x {more}))");
        assert_eq!(of("widths", &script("(bvadd x #x01)")), of("widths", &script("#x01")));
        assert_ne!(of("lets", &script("(bvadd x #x01)")), of("lets", &script("#x01")));
    }
}
