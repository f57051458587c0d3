//! The changes of a pass that succeeded, and which other changes they leave possible.
//!
//! Subterms of a replaced term are gone, too; those of a hoisted term are still there.

use gainsay_smt::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// The changes of a pass that succeeded.
#[derive(Debug, Clone, Default)]
pub struct AcceptedChanges {
    /// Their batches and positions in these, in the order in which they succeeded.
    pub list: Vec<(usize, usize)>,
    /// Places whose terms were replaced, with the place of the subterm if that was hoisted.
    places: FxHashMap<usize, Option<usize>>,
    commands: FxHashSet<usize>,
    terms: FxHashSet<Term>,
    /// Nodes of unparsed commands that were edited, with the end of the nodes below.
    nodes: Vec<(usize, std::ops::Range<usize>)>,
}

impl AcceptedChanges {
    /// Adds a change.
    pub fn add(&mut self, position: (usize, usize), change: &ScriptChange) {
        self.list.push(position);
        match change {
            ScriptChange::DropCommand(command) | ScriptChange::ReplaceCommand(command, _) => {
                self.commands.insert(*command);
            }
            ScriptChange::ReplaceAt(place, _) | ScriptChange::DropArgument(place) => {
                self.places.insert(*place, None);
            }
            ScriptChange::Hoist(place, lower) => {
                self.places.insert(*place, Some(*lower));
            }
            ScriptChange::ReplaceEverywhere(term, _) | ScriptChange::Abstract(term, ..) => {
                self.terms.insert(*term);
            }
            ScriptChange::EditText(command, tree, edit) => {
                self.nodes.extend(edit.iter().map(|(node, _)| (*command, tree.range(*node))));
            }
            ScriptChange::RewriteScript(..) => {}
        }
    }

    /// Whether the command or the terms of a change are still there.
    pub fn leaves(&self, view: &ScriptView, change: &ScriptChange) -> bool {
        match change {
            ScriptChange::DropCommand(command) | ScriptChange::ReplaceCommand(command, _) => {
                !self.commands.contains(command)
            }
            ScriptChange::ReplaceAt(place, _)
            | ScriptChange::DropArgument(place)
            | ScriptChange::Hoist(place, _) => self.leaves_place(view, *place),
            ScriptChange::ReplaceEverywhere(term, _) | ScriptChange::Abstract(term, ..) => {
                !self.terms.contains(term)
            }
            ScriptChange::EditText(command, _, edit) => {
                !self.commands.contains(command)
                    && edit.iter().all(|(node, _)| {
                        !self.nodes.iter().any(|(edited, below)| edited == command && below.contains(node))
                    })
            }
            ScriptChange::RewriteScript(..) => true,
        }
    }

    fn leaves_place(&self, view: &ScriptView, place: usize) -> bool {
        if self.places.is_empty() && self.terms.is_empty() {
            return true;
        }
        let list = view.places.list();
        let mut at = Some(place);
        while let Some(number) = at {
            let is_kept =
                |hoisted: &usize| number != place && (*hoisted..view.below(*hoisted).end).contains(&place);
            if self.places.get(&number).is_some_and(|hoisted| !hoisted.as_ref().is_some_and(is_kept)) {
                return false;
            }
            if self.terms.contains(&list[number].term) {
                return false;
            }
            at = list[number].parent.map(|(parent, _)| parent);
        }
        true
    }
}
