//! Terms replaced by parts of themselves of the same sort.
//!
//! ```text
//! (ite c (+ x (f y)) 0)   ⇒   (+ x (f y))   ⇒   (f y)
//! ```
//!
//! The nearest parts are tried, the longest first. A part may leave the binders around it only if it uses none of their
//! variables.

use gainsay_smt::variables::FreeVariables;
use gainsay_smt::{Script, View as TermView};

use super::{Pass, Phase};
use crate::change::Change;
use crate::script_view::ScriptView;

/// Replaces terms by parts of themselves.
pub struct ReplaceBySubterm;

/// Parts of one term that are tried.
const PARTS: usize = 6;
/// Places below one term that are looked at for parts.
const LOOKED_AT: usize = 200;

impl Pass for ReplaceBySubterm {
    fn name(&self) -> &'static str {
        "replace-by-subterm"
    }

    fn about(&self) -> &'static str {
        "replaces terms by parts of themselves of the same sort"
    }

    fn phase(&self) -> Phase {
        Phase::Coarse
    }

    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<Change>> {
        let mut free = FreeVariables::default();
        let mut batches: Vec<Vec<Change>> = vec![Vec::new(); PARTS];
        for place in view.changeable() {
            let parts = parts(script, view, place, &mut free);
            for (batch, part) in batches.iter_mut().zip(parts) {
                batch.push(Change::Hoist(place, part));
            }
        }
        batches
    }
}

/// The nearest places below a place that have its sort and can stand there, the longest first.
fn parts(script: &Script, view: &ScriptView, place: usize, free: &mut FreeVariables) -> Vec<usize> {
    let (arena, list) = (script.arena(), view.places.list());
    let mut parts = Vec::new();
    let mut at = place + 1;
    let end = view.below(place).end.min(place + 1 + LOOKED_AT);
    while at < end {
        let part = list[at];
        let in_pattern = part.parent.is_some_and(|(parent, child)| {
            child > 0 && matches!(arena.view(list[parent].term), TermView::Annotated(..))
        });
        if in_pattern {
            at = view.below(at).end;
        } else if part.sort == list[place].sort
            && view.places.fits(script, free.of(arena, part.term), list[place].scope)
            && keeps_its_meaning(script, view, place, at, free)
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
fn keeps_its_meaning(
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
