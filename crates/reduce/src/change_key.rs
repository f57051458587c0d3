//! Keys that identify a change from one round to the next, so that a failed change is not retried in vain.
//!
//! Places and terms are numbered anew in every round, so keys are hashes of texts and of their neighbours.

use std::hash::{Hash, Hasher};

use gainsay_smt::paren_tree::{NodeEdit, ParenTree};
use gainsay_smt::print::{command_text, head_text, term_text};
use gainsay_smt::{Command, Script, Term, TermView};
use rustc_hash::{FxHashMap, FxHasher};

use crate::change::ScriptChange;
use crate::pass::{Pass, Phase};
use crate::script_view::ScriptView;
use crate::tree_pass::TreeEdit;

/// The key of each change: a hash of its effect and of its surroundings. A failed change is retried when either differs.
///
/// The inside of a long term changes all the time, and is seldom the reason why the term cannot go. So most passes identify a
/// place by its path from the root and its approximate length: its changes are retried once the term is much shorter.
pub fn change_keys(
    pass: &dyn Pass,
    script: &Script,
    view: &ScriptView,
    batches: &[Vec<ScriptChange>],
) -> Vec<Vec<u64>> {
    let (phase, pass) = (pass.phase(), pass.name());
    let arena = script.arena();
    let places = view.places.list();
    let mut hashes = TermHashes { script, known: FxHashMap::default() };
    let all_commands =
        hash(script.commands.iter().map(|command| command_text(arena, command)).collect::<Vec<_>>());
    let paths = path_hashes(script, view);
    let mut around = |place: usize| match places[place].parent {
        _ if phase != Phase::Structure => (paths[place], length_class(view.bytes(places[place].term))),
        Some((parent, child)) => (hashes.of(places[parent].term), child),
        None => (hashes.of(places[place].term), usize::MAX),
    };
    let mut key = |batch: usize, number: usize, change: &ScriptChange| match change {
        ScriptChange::DropCommand(command) => match script.commands[*command] {
            Command::Term(word, term, _) => {
                hash((pass, word.text(), top_operators(script, term), length_class(view.bytes(term))))
            }
            ref other => hash((pass, command_text(arena, other))),
        },
        ScriptChange::RewriteScript(Some(key), _) => hash((pass, batch, key)),
        ScriptChange::ReplaceCommand(..) | ScriptChange::RewriteScript(None, _) => {
            hash((pass, batch, all_commands, number))
        }
        ScriptChange::EditText(_, tree, edit) => hash((pass, batch, edit_hash(tree, edit))),
        ScriptChange::ReplaceAt(place, term) => hash((pass, batch, around(*place), term_text(arena, *term))),
        ScriptChange::Hoist(place, lower) if phase <= Phase::Coarse => {
            hash((pass, batch, around(*place), around(*lower)))
        }
        ScriptChange::Hoist(place, lower) => hash((pass, batch, around(*place), lower - place)),
        ScriptChange::DropArgument(place) => hash((pass, batch, around(*place))),
        ScriptChange::ReplaceEverywhere(old, new) => {
            hash((pass, batch, term_text(arena, *old), term_text(arena, *new), view.count(*old)))
        }
        ScriptChange::Abstract(old, ..) => hash((pass, batch, term_text(arena, *old), view.count(*old))),
    };
    let of_batch = |(batch, changes): (usize, &Vec<ScriptChange>)| {
        changes.iter().enumerate().map(|(number, change)| key(batch, number, change)).collect()
    };
    batches.iter().enumerate().map(of_batch).collect()
}

/// A hash of an edit of unparsed text: of the edited node, the first word of its list, and the edit. What stands around the list
/// does not count, so an edit that failed is tried again only in the last round.
fn edit_hash(tree: &ParenTree, edit: &TreeEdit) -> u64 {
    let of_node = |(node, edit): &(usize, NodeEdit)| {
        let new = match edit {
            NodeEdit::Drop => (0, ""),
            NodeEdit::Text(text) => (0, text.as_str()),
            NodeEdit::Item(item) => (item - node, ""),
        };
        hash((tree.parent(*node).and_then(|list| tree.head(list)), tree.print_node(*node), new))
    };
    hash(edit.iter().take(1).map(of_node).collect::<Vec<u64>>())
}

/// An approximate length: the same for lengths that differ by less than about a third.
fn length_class(bytes: usize) -> usize {
    let bits = usize::BITS - bytes.leading_zeros();
    // The two highest bits of the length, the first as its position.
    2 * bits as usize + (bytes >> bits.saturating_sub(2) & 1)
}

/// A hash of the operator of a term and of those of its arguments.
fn top_operators(script: &Script, term: Term) -> u64 {
    let arena = script.arena();
    let of = |term: Term| operator(script, term);
    hash((of(term), arena.children(term).iter().map(|&child| of(child)).collect::<Vec<_>>()))
}

/// For each place, a hash of the operators and argument positions on the path to it, and of how many equal paths precede it.
fn path_hashes(script: &Script, view: &ScriptView) -> Vec<u64> {
    let mut paths: Vec<u64> = Vec::new();
    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    for place in view.places.list() {
        let above = place.parent.map(|(parent, child)| (paths[parent], child));
        let path = hash((above, operator(script, place.term)));
        let before = seen.entry(path).or_default();
        paths.push(hash((path, *before)));
        *before += 1;
    }
    paths
}

/// A hash of the operator of a term, of its spelling, or of its kind.
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

/// Hashes of terms that do not depend on how terms are numbered.
struct TermHashes<'a> {
    script: &'a Script,
    known: FxHashMap<Term, u64>,
}

impl TermHashes<'_> {
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

/// A hash that is the same in every run.
pub fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::ALL;
    use gainsay_smt::Signature;

    /// The keys of all changes of a pass.
    fn keys_of(pass: &str, text: &str) -> Vec<u64> {
        let pass = *ALL.iter().find(|other| other.name() == pass).unwrap();
        let mut script = Script::parse(text, &Signature::standard()).unwrap();
        let view = ScriptView::of(&script);
        let batches = pass.changes(&mut script, &view);
        change_keys(pass, &script, &view, &batches).concat()
    }

    #[test]
    fn a_slightly_shorter_term_keeps_its_key_and_a_much_shorter_one_does_not() {
        let script = |inner: &str| {
            format!("(declare-const x Int)(assert (or (< 1 2) (= {inner} (+ 1 2 3 4 5 6 7 8 9))))")
        };
        let before = keys_of("drop-arguments", &script("(* x x x x x x x x x x x x)"));
        let after = keys_of("drop-arguments", &script("(* x x x x x x x x x x x)"));
        assert!(before[..2].iter().all(|key| after.contains(key)));
        let after = keys_of("drop-arguments", &script("x"));
        assert!(!before[..2].iter().all(|key| after.contains(key)));
        assert_eq!([16, 23, 24, 31, 32].map(length_class), [10, 10, 11, 11, 12]);
    }

    #[test]
    fn the_key_of_a_width_does_not_depend_on_the_rest_of_the_script() {
        let script = |more: &str| format!("(declare-const x (_ BitVec 8))(assert (= x {more}))");
        assert_eq!(
            keys_of("narrow-bit-vectors", &script("(bvadd x #x01)")),
            keys_of("narrow-bit-vectors", &script("#x01"))
        );
        assert_ne!(
            keys_of("inline-lets", &script("(bvadd x #x01)")),
            keys_of("inline-lets", &script("#x01"))
        );
    }
}
