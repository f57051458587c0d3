//! Detours: scripts that are a little longer than the smallest one, and may lead to a smaller one.
//!
//! ```text
//! (assert (= (< 0 a) (p a)))             (declare-const v Bool)             (declare-const v Bool)
//! (assert (or (< 0 a) (q a b)))    ⇒     (assert (= v (p a)))         ⇒     (assert v)
//!                                        (assert (or v (q a b)))
//! ```
//!
//! A fresh constant in the place of a term that stands twice often costs more than it saves, because it has to be declared. But the
//! term no longer ties its constants to each other, so more can be removed. When no change makes a script smaller, the search goes on
//! from such a script. It comes back if that leads to nothing smaller, so a reduction never ends with more than it had.

use std::sync::Arc;

use gainsay_smt::print::term_text;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::apply::apply_changes;
use crate::change::ScriptChange;
use crate::change_key::hash;
use crate::pass::abstract_terms::AbstractTerms;
use crate::pass::{Pass, Phase};
use crate::script_view::ScriptView;
use crate::search::PrintedScript;
use crate::size_order::is_smaller;
use crate::unused_declarations::drop_unused_declarations;

/// Detours that a reduction tries.
const MAX_DETOURS: usize = 6;
/// Terms of a script that are looked at for one detour.
const MAX_TERMS: usize = 64;
/// Bytes that a detour may add.
const MAX_GROWTH: usize = 32;

/// The detours of a search.
#[derive(Clone, Default)]
pub struct Detours {
    /// The smallest script before the detour that is under way, and the changes that had failed.
    origin: Option<(Arc<PrintedScript>, FailedChanges)>,
    /// A script that is being tested.
    proposed: Option<Arc<PrintedScript>>,
    /// Hashes of terms that were abstracted.
    tried: Arc<FxHashSet<u64>>,
}

/// Keys of changes that failed, with the phase of their pass.
pub type FailedChanges = Arc<FxHashMap<u64, Phase>>;

impl Detours {
    /// The script to test.
    pub fn proposed(&self) -> Option<&Arc<PrintedScript>> {
        self.proposed.as_ref()
    }

    /// Forgets the script that was tested; `before` is the smallest script, to come back to, if the detour is taken.
    pub fn decide(&mut self, before: Option<(Arc<PrintedScript>, FailedChanges)>) {
        self.proposed = None;
        self.origin = before;
    }

    /// The smaller of a script and the one that its detour began from.
    pub fn smaller<'a>(&'a self, best: &'a Arc<PrintedScript>) -> &'a Arc<PrintedScript> {
        match &self.origin {
            Some((origin, _)) if !is_smaller(&best.text, &origin.text) => origin,
            _ => best,
        }
    }

    /// Ends the detour once it has led to a smaller script.
    pub fn note(&mut self, best: &PrintedScript) {
        if self.origin.as_ref().is_some_and(|(origin, _)| is_smaller(&best.text, &origin.text)) {
            self.origin = None;
        }
    }

    /// Ends the detour that is under way; returns the script that it began from.
    pub fn come_back(&mut self) -> Option<(Arc<PrintedScript>, FailedChanges)> {
        self.origin.take()
    }

    /// Proposes the next detour from a script; returns false if there is none.
    pub fn propose(&mut self, best: &PrintedScript, drops_unused: bool) -> bool {
        if self.tried.len() < MAX_DETOURS {
            let found = shortest_abstraction(best, drops_unused, &self.tried);
            self.proposed = found.map(|(key, script)| {
                Arc::make_mut(&mut self.tried).insert(key);
                Arc::new(script)
            });
        }
        self.proposed.is_some()
    }
}

/// The shortest script with a fresh constant for a term that occurs more than once and was not tried, with a hash of the term.
fn shortest_abstraction(
    best: &PrintedScript,
    drops_unused: bool,
    tried: &FxHashSet<u64>,
) -> Option<(u64, PrintedScript)> {
    let mut script = best.script.clone();
    let view = ScriptView::of(&script);
    let changes = AbstractTerms.changes(&mut script, &view).concat();
    let untried = changes.iter().filter_map(|change| {
        let ScriptChange::Abstract(term, ..) = change else { return None };
        let key = hash(term_text(script.arena(), *term));
        (view.count(*term) > 1 && !tried.contains(&key)).then_some((key, change))
    });
    let made = untried.take(MAX_TERMS).filter_map(|(key, change)| {
        let changed = apply_changes(&script, &view, std::iter::once(change))?;
        let changed = if drops_unused { drop_unused_declarations(&changed) } else { changed };
        let made = PrintedScript::of(&changed)?;
        (made.text.len() <= best.text.len() + MAX_GROWTH).then_some((key, made))
    });
    made.min_by_key(|(_, made)| made.text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::ALL;
    use crate::search::CandidateSearch;
    use crate::speculate::Search;
    use gainsay_smt::{Script, Signature};

    const ATOM_TWICE: &str =
        "(declare-const a Int)(assert (= (< 0 a) (= a 1)))(assert (or (< 0 a) (= a 2)))(check-sat)";

    fn atom_twice() -> PrintedScript {
        PrintedScript::of(&Script::parse(ATOM_TWICE, &Signature::standard()).unwrap()).unwrap()
    }

    /// The text that a whole reduction ends with.
    fn reduced(test: impl Fn(&str) -> bool) -> String {
        let mut search = CandidateSearch::new(Arc::new(atom_twice()), ALL);
        while let Some(candidate) = search.propose() {
            search.tell(&candidate, test(&candidate.text));
        }
        search.best_text().to_owned()
    }

    #[test]
    fn a_term_that_stands_twice_is_abstracted_once_even_if_the_script_becomes_longer() {
        let (script, mut detours) = (atom_twice(), Detours::default());
        assert!(detours.propose(&script, true));
        let proposed = Arc::clone(detours.proposed().unwrap());
        assert!(proposed.text.contains(" Bool)") && !proposed.text.contains("(< 0 a)"), "{}", proposed.text);
        assert!(proposed.text.len() > script.text.len());
        detours.decide(None);
        assert!(!detours.propose(&script, true), "{:?}", detours.proposed());
    }

    #[test]
    fn a_detour_that_leads_to_a_smaller_script_is_kept() {
        let is_abstracted = |text: &str| text.contains(" Bool)") && !text.contains("(< 0 a)");
        let small = reduced(is_abstracted);
        assert!(is_abstracted(&small) && small.len() < atom_twice().text.len(), "{small}");
    }

    #[test]
    fn a_detour_that_leads_to_nothing_smaller_is_taken_back() {
        let mut detours = Detours::default();
        detours.propose(&atom_twice(), true);
        let longer = Arc::clone(detours.proposed().unwrap());
        assert_eq!(reduced(|text| *text == *longer.text), *atom_twice().text);
    }
}
