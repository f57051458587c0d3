//! Replaces terms by shorter ones of the same sort that are in scope: declared constants, bound variables, terms of other places.
//!
//! ```text
//! (declare-const x Int)(assert (< (+ x 1) (f 3)))   ⇒   (declare-const x Int)(assert (< x (f 3)))   ⇒   (assert (< x x))
//! ```

use gainsay_smt::variables::FreeVariables;
use gainsay_smt::{Command, Head, Script, Sort, Term, TermView, Variable};
use rustc_hash::FxHashMap;

use super::term_to_value::places_of_short_terms;
use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// Replaces terms by shorter ones that are in scope.
pub struct ShorterInScope;

/// Terms that are tried in one place, beside a bound variable.
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
        let mut batches: Vec<Vec<ScriptChange>> = vec![Vec::new(); 2 * (MAX_REPLACEMENTS + 1)];
        for place in places_of_short_terms(view) {
            let occurrence = view.places.list()[place];
            let candidates = shortest.get(&occurrence.sort).map_or(&[][..], Vec::as_slice);
            let fitting = fitting_terms(script, view, place, candidates, &mut free);
            for (turn, term) in fitting.into_iter().enumerate() {
                let is_closed = free.of(script.arena(), term).is_empty();
                if is_closed && view.count(occurrence.term) > 1 && view.is_first(place) {
                    batches[2 * turn].push(ScriptChange::ReplaceEverywhere(occurrence.term, term));
                }
                batches[2 * turn + 1].push(ScriptChange::ReplaceAt(place, term));
            }
        }
        batches
    }
}

/// The terms that are tried in a place: the first of the candidates that are shorter and in scope, then the innermost bound variable of the
/// sort: what a quantified term means seldom survives once it no longer depends on its variables.
fn fitting_terms(
    script: &mut Script,
    view: &ScriptView,
    place: usize,
    candidates: &[Term],
    free: &mut FreeVariables,
) -> Vec<Term> {
    let occurrence = view.places.list()[place];
    let length = view.bytes(occurrence.term);
    let is_shorter = |term: &&Term| view.bytes(**term).max(1) < length && **term != occurrence.term;
    let fits = |term: &&Term| {
        let variables = free.of(script.arena(), **term).to_vec();
        view.places.fits(script, &variables, occurrence.scope)
    };
    let mut fitting: Vec<Term> =
        candidates.iter().filter(is_shorter).filter(fits).take(MAX_REPLACEMENTS).copied().collect();
    fitting.extend(innermost_variable(script, view, place).filter(|term| !fitting.contains(term)));
    fitting
}

/// The innermost variable in scope of the sort of a place, if it is shorter than the term there.
fn innermost_variable(script: &mut Script, view: &ScriptView, place: usize) -> Option<Term> {
    let occurrence = view.places.list()[place];
    let bound = view.places.scope(script, occurrence.scope);
    let arena = script.arena();
    let variable = bound.into_iter().find(|variable| arena.canonical(variable.sort) == occurrence.sort)?;
    let is_shorter = arena.text(variable.name).len() < view.bytes(occurrence.term);
    let term = script.arena_mut().variable(Variable { sort: occurrence.sort, ..variable });
    (is_shorter && term != occurrence.term && view.places.fits(script, &[variable], occurrence.scope))
        .then_some(term)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{changed_texts, check};

    #[test]
    fn constants_and_other_terms_replace_longer_ones() {
        let script =
            |term: &str| format!("(declare-const x Int)(declare-fun f (Int) Int)(assert (< {term} (f 3)))");
        check(&ShorterInScope, &script("(+ x 1)"), &script("x"));
        check(&ShorterInScope, &script("(f (+ x 1))"), &script("x"));
    }

    #[test]
    fn the_innermost_bound_variable_is_tried_beside_many_constants() {
        let script = |term: &str| {
            let constants: String = ('a'..='l').map(|name| format!("(declare-const {name} Real)")).collect();
            format!("{constants}(assert (forall ((o Real)) (exists ((v Real)) (< {term} o))))")
        };
        check(&ShorterInScope, &script("(* 97.0 o)"), &script("v"));
    }

    #[test]
    fn a_hidden_variable_is_not_tried() {
        let text =
            "(declare-fun p (Real) Bool)(assert (forall ((v Real)) (exists ((v Int)) (p (+ 1.0 2.0)))))";
        assert!(changed_texts(&ShorterInScope, text).iter().all(|text| !text.contains("(p v)")));
    }
}
