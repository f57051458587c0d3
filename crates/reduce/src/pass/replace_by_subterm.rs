//! Replaces terms by subterms of the same sort.
//!
//! ```text
//! (ite c (+ x (f y)) 0)   ⇒   (+ x (f y))   ⇒   (f y)
//! ```
//!
//! The nearest subterms are tried, the longest first. A subterm may leave a binder only if it uses none of its variables.

use gainsay_smt::variables::FreeVariables;
use gainsay_smt::{Script, TermView};

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// Replaces terms by subterms.
pub struct ReplaceBySubterm;

/// Subterms of one term that are tried.
const MAX_SUBTERMS: usize = 6;
/// Places below one term that are searched for subterms of its sort.
const MAX_SEARCHED_PLACES: usize = 200;

impl Pass for ReplaceBySubterm {
    fn name(&self) -> &'static str {
        "replace-by-subterm"
    }

    fn about(&self) -> &'static str {
        "replaces terms by subterms of the same sort"
    }

    fn phase(&self) -> Phase {
        Phase::Coarse
    }

    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let mut free = FreeVariables::default();
        let mut batches: Vec<Vec<ScriptChange>> = vec![Vec::new(); MAX_SUBTERMS];
        for place in view.changeable() {
            let subterms = nearest_subterms(script, view, place, &mut free);
            for (batch, subterm) in batches.iter_mut().zip(subterms) {
                batch.push(ScriptChange::Hoist(place, subterm));
            }
        }
        batches
    }
}

/// The nearest places below a place whose terms have its sort and can replace its term, the longest first.
fn nearest_subterms(
    script: &Script,
    view: &ScriptView,
    place: usize,
    free: &mut FreeVariables,
) -> Vec<usize> {
    let (arena, list) = (script.arena(), view.places.list());
    let mut parts = Vec::new();
    let mut at = place + 1;
    let end = view.below(place).end.min(place + 1 + MAX_SEARCHED_PLACES);
    while at < end {
        let part = list[at];
        let in_pattern = part.parent.is_some_and(|(parent, child)| {
            child > 0 && matches!(arena.view(list[parent].term), TermView::Annotated(..))
        });
        if in_pattern {
            at = view.below(at).end;
        } else if part.sort == list[place].sort
            && view.places.fits(script, free.of(arena, part.term), list[place].scope)
            && stays_free(script, view, place, at, free)
        {
            parts.push(at);
            at = view.below(at).end;
        } else {
            at += 1;
        }
    }
    view.longest_first(&mut parts);
    parts
}

/// Whether no binder between a place and one above it binds a variable that the lower one uses.
fn stays_free(
    script: &Script,
    view: &ScriptView,
    upper: usize,
    lower: usize,
    free: &mut FreeVariables,
) -> bool {
    let (arena, list) = (script.arena(), view.places.list());
    if list[upper].scope == list[lower].scope {
        return true;
    }
    let mut at = lower;
    while at != upper {
        let Some((parent, child)) = list[at].parent else { return false };
        let bound = arena.view(list[parent].term).bound_in(child);
        let used = free.of(arena, list[lower].term);
        if bound.iter().any(|variable| used.iter().any(|other| other.name == variable.name)) {
            return false;
        }
        at = parent;
    }
    true
}
