//! Replaces terms by shorter ones of the same sort that are in scope: declared constants, bound variables, terms of other places.
//!
//! ```text
//! (declare-const x Int)(assert (< (+ x 1) (f 3)))   ⇒   (declare-const x Int)(assert (< x (f 3)))   ⇒   (assert (< x x))
//! ```

use gainsay_smt::variables::FreeVariables;
use gainsay_smt::{Command, Head, Script, Sort, Term, TermView};
use rustc_hash::FxHashMap;

use super::term_to_value::places_of_short_terms;
use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// Replaces terms by shorter ones that are in scope.
pub struct ShorterInScope;

/// Terms that are tried in one place.
const MAX_REPLACEMENTS: usize = 2;

impl Pass for ShorterInScope {
    fn name(&self) -> &'static str {
        "shorter-in-scope"
    }

    fn about(&self) -> &'static str {
        "replaces terms by shorter ones of the same sort that are in scope"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let shortest = shortest_terms(script, view);
        let mut free = FreeVariables::default();
        let mut batches: Vec<Vec<ScriptChange>> = vec![Vec::new(); 2 * MAX_REPLACEMENTS];
        for place in places_of_short_terms(view) {
            let occurrence = view.places.list()[place];
            let length = view.bytes(occurrence.term);
            let candidates = shortest.get(&occurrence.sort).map_or(&[][..], Vec::as_slice);
            let mut tried = 0;
            for &term in candidates {
                if tried == MAX_REPLACEMENTS || view.bytes(term).max(1) >= length {
                    break;
                }
                if term == occurrence.term {
                    continue;
                }
                let variables = free.of(script.arena(), term).to_vec();
                if !view.places.fits(script, &variables, occurrence.scope) {
                    continue;
                }
                if variables.is_empty() && view.count(occurrence.term) > 1 && view.is_first(place) {
                    batches[2 * tried].push(ScriptChange::ReplaceEverywhere(occurrence.term, term));
                }
                batches[2 * tried + 1].push(ScriptChange::ReplaceAt(place, term));
                tried += 1;
            }
        }
        batches
    }
}

/// The shortest terms of each sort, declared constants first.
fn shortest_terms(script: &mut Script, view: &ScriptView) -> FxHashMap<Sort, Vec<Term>> {
    let mut found: FxHashMap<Sort, Vec<Term>> = FxHashMap::default();
    for number in 0..script.commands.len() {
        if let Command::Declare(_, name, parameters, result) = &script.commands[number]
            && parameters.is_empty()
        {
            let (name, sort) = (*name, script.arena().canonical(*result));
            let term = script.arena_mut().application(Head::plain(name), &[], sort);
            found.entry(sort).or_default().push(term);
        }
    }
    let arena = script.arena();
    let mut seen = rustc_hash::FxHashSet::default();
    for place in places_of_short_terms(view) {
        let occurrence = view.places.list()[place];
        let is_short = !matches!(arena.view(occurrence.term), TermView::Annotated(..) | TermView::Let(..));
        if is_short && seen.insert(occurrence.term) {
            found.entry(occurrence.sort).or_default().push(occurrence.term);
        }
    }
    for terms in found.values_mut() {
        terms.sort_by_key(|&term| view.bytes(term));
        terms.dedup();
        terms.truncate(4 * MAX_REPLACEMENTS);
    }
    found
}
