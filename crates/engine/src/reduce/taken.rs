//! The changes of a pass that were taken, and what they leave to do for others.
//!
//! What is inside a part that is gone is gone, too; what is inside a part that was moved up is still there.

use gainsay_smt::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Change, View};

/// The changes of a pass that were taken.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// By batch and number, in the order in which they were taken.
    pub list: Vec<(usize, usize)>,
    /// Places that have something else now, and the place that it was moved from.
    places: FxHashMap<usize, Option<usize>>,
    commands: FxHashSet<usize>,
    terms: FxHashSet<Term>,
}

impl Taken {
    /// Takes one more.
    pub fn add(&mut self, at: (usize, usize), change: &Change) {
        self.list.push(at);
        match change {
            Change::Drop(command) | Change::Command(command, _) => {
                self.commands.insert(*command);
            }
            Change::Place(place, _) | Change::Omit(place) => {
                self.places.insert(*place, None);
            }
            Change::Hoist(place, lower) => {
                self.places.insert(*place, Some(*lower));
            }
            Change::Replace(term, _) | Change::Abstract(term, ..) => {
                self.terms.insert(*term);
            }
            Change::Whole(..) => {}
        }
    }

    /// Whether what a change is about is still there.
    pub fn leaves(&self, view: &View, change: &Change) -> bool {
        match change {
            Change::Drop(command) | Change::Command(command, _) => !self.commands.contains(command),
            Change::Place(place, _) | Change::Omit(place) | Change::Hoist(place, _) => {
                self.leaves_place(view, *place)
            }
            Change::Replace(term, _) | Change::Abstract(term, ..) => !self.terms.contains(term),
            Change::Whole(..) => true,
        }
    }

    fn leaves_place(&self, view: &View, place: usize) -> bool {
        if self.places.is_empty() && self.terms.is_empty() {
            return true;
        }
        let list = view.places.list();
        let mut at = Some(place);
        while let Some(number) = at {
            let is_kept =
                |lower: &usize| number != place && (*lower..view.below(*lower).end).contains(&place);
            if self.places.get(&number).is_some_and(|moved| !moved.as_ref().is_some_and(is_kept)) {
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
