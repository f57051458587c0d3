//! Applies any number of changes at once, in one walk over the places that they touch.
//!
//! All changes of a pass refer to the same script, so the accepted ones can be applied together with those that are tried.
//! Of two changes in one place, or one inside the other, the outer one wins; changes inside a hoisted subterm move with it.

use std::collections::BTreeMap;

use gainsay_smt::paren_tree::{NodeEdit, ParenTree};
use gainsay_smt::{Arena, Command, Head, Script, Term, TermView, replace_children};
use rustc_hash::FxHashMap;

use crate::change::{ScriptChange, ScriptRewrite};
use crate::script_view::ScriptView;

/// The script with the changes; `None` if they do not apply.
pub fn apply_changes<'c>(
    script: &Script,
    view: &ScriptView,
    changes: impl Iterator<Item = &'c ScriptChange>,
) -> Option<Script> {
    let mut edits = ScriptEdits::default();
    changes.for_each(|change| edits.add(change));
    let mut new = match edits.rewrite {
        Some(rewrite) => return rewrite(script),
        None => script.clone(),
    };
    edits.change_places(view, &mut new);
    edits.replace_terms(&mut new);
    edits.change_commands(&mut new);
    Some(new)
}

/// The edits of a script, by the commands, places and terms that they change.
#[derive(Default)]
struct ScriptEdits<'c> {
    commands: FxHashMap<usize, &'c [Command]>,
    texts: FxHashMap<usize, TextEdits<'c>>,
    places: BTreeMap<usize, PlaceEdit>,
    terms: FxHashMap<Term, Term>,
    fresh: Vec<(Term, &'c Command)>,
    rewrite: Option<&'c ScriptRewrite>,
}

/// The tree of an unparsed command, and the edits of its nodes.
type TextEdits<'c> = (&'c ParenTree, FxHashMap<usize, &'c NodeEdit>);

/// The new term of a place.
#[derive(Clone, Copy)]
enum PlaceEdit {
    Term(Term),
    Hoist(usize),
    Drop,
}

impl<'c> ScriptEdits<'c> {
    fn add(&mut self, change: &'c ScriptChange) {
        match change {
            ScriptChange::DropCommand(command) => {
                self.commands.insert(*command, &[]);
            }
            ScriptChange::ReplaceCommand(command, others) => {
                self.commands.entry(*command).or_insert(others);
            }
            ScriptChange::ReplaceAt(place, term) => {
                self.places.entry(*place).or_insert(PlaceEdit::Term(*term));
            }
            ScriptChange::Hoist(place, lower) => {
                self.places.entry(*place).or_insert(PlaceEdit::Hoist(*lower));
            }
            ScriptChange::DropArgument(place) => {
                self.places.entry(*place).or_insert(PlaceEdit::Drop);
            }
            ScriptChange::ReplaceEverywhere(old, new) => {
                self.terms.entry(*old).or_insert(*new);
            }
            ScriptChange::Abstract(old, new, declaration) => {
                if !self.terms.contains_key(old) {
                    self.terms.insert(*old, *new);
                    self.fresh.push((*new, declaration));
                }
            }
            ScriptChange::EditText(command, tree, edit) => {
                let (_, nodes) = self.texts.entry(*command).or_insert_with(|| (tree, FxHashMap::default()));
                for (node, edit) in edit {
                    nodes.entry(*node).or_insert(edit);
                }
            }
            ScriptChange::RewriteScript(_, rewrite) => self.rewrite = Some(rewrite),
        }
    }

    /// Edits places from last to first, so that subterms come before the terms that contain them.
    fn change_places(&self, view: &ScriptView, script: &mut Script) {
        let list = view.places.list();
        let mut rebuilt: FxHashMap<usize, Term> = FxHashMap::default();
        // Places with changed children: the positions of these, and the new terms.
        let mut above: BTreeMap<usize, Vec<(usize, Option<Term>)>> = BTreeMap::new();
        let mut own = self.places.iter().rev().peekable();
        loop {
            let next =
                own.peek().map(|(place, _)| **place).max(above.last_key_value().map(|(place, _)| *place));
            let Some(place) = next else { return };
            let below = above.remove(&place);
            let mine = own.next_if(|(number, _)| **number == place).map(|(_, new)| *new);
            let term = match mine {
                Some(PlaceEdit::Term(term)) => Some(term),
                Some(PlaceEdit::Hoist(lower)) => {
                    Some(rebuilt.get(&lower).copied().unwrap_or(list[lower].term))
                }
                Some(PlaceEdit::Drop) => None,
                None => Some(with_children(script, list[place].term, &below.unwrap_or_default())),
            };
            rebuilt.extend(term.map(|term| (place, term)));
            match (list[place].parent, term) {
                (Some((parent, child)), term) => above.entry(parent).or_default().push((child, term)),
                (None, Some(term)) => script.commands[list[place].root.0].set_term(list[place].root.1, term),
                (None, None) => {}
            }
        }
    }

    fn replace_terms(&self, script: &mut Script) {
        if self.terms.is_empty() {
            return;
        }
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        for number in 0..script.commands.len() {
            for position in 0..script.commands[number].term_count() {
                let old = script.commands[number].term(position);
                let new = self.replaced(script, old, &mut done);
                if new != old {
                    script.commands[number].set_term(position, new);
                }
            }
        }
    }

    /// A term with all replacements made. Replacements are not searched for terms to replace.
    fn replaced(&self, script: &mut Script, term: Term, done: &mut FxHashMap<Term, Term>) -> Term {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            if done.contains_key(&next) {
                open.pop();
                continue;
            }
            if let Some(&new) = self.terms.get(&next) {
                done.insert(next, new);
                continue;
            }
            let before = open.len();
            open.extend(script.arena().children(next).iter().filter(|child| !done.contains_key(child)));
            if open.len() == before {
                let children: Vec<Term> =
                    script.arena().children(next).iter().map(|child| done[child]).collect();
                let same = script.arena().children(next) == children;
                let new = if same { next } else { replace_children(script.arena_mut(), next, &children) };
                done.insert(next, new);
                open.pop();
            }
        }
        done[&term]
    }

    fn change_commands(&self, script: &mut Script) {
        let old = std::mem::take(&mut script.commands);
        let mut undeclared = self.fresh.clone();
        for (number, mut command) in old.into_iter().enumerate() {
            if let Some(edits) = self.texts.get(&number) {
                edit_text(script.arena_mut(), &mut command, edits);
            }
            match self.commands.get(&number) {
                Some(others) => script.commands.extend_from_slice(others),
                None => {
                    // A constant declared inside a scope could not be used after it.
                    if let Command::Push(_) = command {
                        script
                            .commands
                            .extend(undeclared.drain(..).map(|(_, declaration)| declaration.clone()));
                    }
                    declare(script, &command, &mut undeclared);
                    script.commands.push(command);
                }
            }
        }
    }
}

/// Puts the edited text into a command that is kept as text.
fn edit_text(arena: &mut Arena, command: &mut Command, (tree, edits): &TextEdits<'_>) {
    let text = tree.print(|node| edits.get(&node).map(|edit| (*edit).clone()));
    // Candidates are parsed again, which recognises the command.
    *command = Command::Opaque(arena.symbol(text.trim_end()));
}

/// Declares the fresh constants that a command is the first to use.
fn declare(script: &mut Script, command: &Command, undeclared: &mut Vec<(Term, &Command)>) {
    if undeclared.is_empty() {
        return;
    }
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open = command.terms();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Some(at) = undeclared.iter().position(|(constant, _)| *constant == term) {
            let (_, declaration) = undeclared.remove(at);
            script.commands.push(declaration.clone());
        }
        open.extend_from_slice(script.arena().children(term));
    }
}

/// A term with some children replaced, or dropped as far as the arity of the operator allows.
fn with_children(script: &mut Script, term: Term, changed: &[(usize, Option<Term>)]) -> Term {
    let arena = script.arena_mut();
    let old = arena.children(term).to_vec();
    let mut children: Vec<Option<Term>> = old.iter().map(|&child| Some(child)).collect();
    for &(child, new) in changed {
        children[child] = new;
    }
    let left: Vec<Term> = children.iter().flatten().copied().collect();
    if left.len() == old.len() {
        return replace_children(arena, term, &left);
    }
    let sort = arena.sort_of(term);
    if let [only] = left.as_slice()
        && arena.sort_of(*only) == sort
    {
        return *only;
    }
    let TermView::Application(head, _) = arena.view(term) else { return term };
    let (indices, head) = (head.indices.to_vec(), Head { indices: &[], ..head });
    // An operator needs two arguments: the first ones that were to be dropped stay.
    let mut missing = 2usize.saturating_sub(left.len());
    for (child, old) in children.iter_mut().zip(&old) {
        if child.is_none() && missing > 0 {
            *child = Some(*old);
            missing -= 1;
        }
    }
    let children: Vec<Term> = children.into_iter().flatten().collect();
    arena.application(Head { indices: &indices, ..head }, &children, sort)
}
