//! Universes: the elements of declared sorts, where an assertion says how many there can be.
//!
//! ```text
//! (assert (forall ((x S)) (or (= x a) (= x b))))                           S has one element or two
//! (assert (forall ((x S) (y S) (z S)) (not (distinct x y z))))             the same
//! ```
//!
//! Exhaustion searches once for each number of elements. A query is unsatisfiable if no number has a model. The elements are
//! those of a model as z3 prints it, so that the evaluator knows them, too.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use crate::model::Model;
use crate::print::symbol_text;
use crate::queries::SatQuery;
use crate::script::Script;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, Term, TermView, Variable};
use crate::theory_view::TheoryView;
use crate::variables::FreeVariables;

/// The most elements of a sort.
const MAX_ELEMENTS: usize = 8;
/// The most universes: for several sorts, all combinations of their numbers of elements.
const MAX_UNIVERSES: usize = 32;
/// Terms that are looked at for bounds.
const MAX_BOUNDING_TERMS: usize = 2_000;

/// The number of elements of some declared sorts.
pub(super) type Universe = BTreeMap<Sort, usize>;

/// The universes that assertions leave, the smallest first: one without sorts if they bound none.
pub(super) fn universes(model: &Model, asserted: &[Term]) -> Vec<Universe> {
    let mut universes = vec![Universe::new()];
    for (sort, count) in bounded_sorts(model, asserted) {
        if universes.len() * count > MAX_UNIVERSES {
            continue;
        }
        let sizes = |start: &Universe| {
            let start = start.clone();
            (1..=count).map(move |size| {
                let mut universe = start.clone();
                universe.insert(sort, size);
                universe
            })
        };
        universes = universes.iter().flat_map(sizes).collect();
    }
    universes
}

/// The model that has the elements of a universe and says nothing else; `None` for the empty universe, and if the script has the
/// names of the elements.
pub(super) fn universe_model(script: &Script, query: &SatQuery, universe: &Universe) -> Option<Model> {
    if universe.is_empty() {
        return None;
    }
    let model = Model::read(&format!("({})", universe_text(script, universe)), script, query).ok()?;
    let has_size =
        |(&sort, &count): (&Sort, &usize)| model.universe(sort).is_some_and(|all| all.len() == count);
    universe.iter().all(has_size).then_some(model)
}

/// The universe as z3 prints it in a model.
pub(super) fn universe_text(script: &Script, universe: &Universe) -> String {
    let mut text = String::new();
    for (&sort, &count) in universe {
        let name = script.arena().view_sort(sort).head;
        let (name, plain) = (symbol_text(script.arena(), name), script.arena().text(name));
        let elements: Vec<String> = (0..count).map(|number| format!("|{plain}!val!{number}|")).collect();
        for element in &elements {
            let _ = writeln!(text, "(declare-fun {element} () {name})");
        }
        let cases: Vec<String> = elements.iter().map(|element| format!("(= x {element})")).collect();
        let _ = writeln!(text, "(forall ((x {name})) (or {}))", cases.join(" "));
    }
    text
}

/// Declared sorts with the greatest number of elements that the assertions leave them.
fn bounded_sorts(model: &Model, asserted: &[Term]) -> BTreeMap<Sort, usize> {
    let terms = model.theory_view();
    let mut free = FreeVariables::default();
    let mut bounds = BTreeMap::new();
    let mut open: Vec<(Term, bool)> = asserted.iter().map(|&term| (term, true)).collect();
    for _ in 0..MAX_BOUNDING_TERMS {
        let Some((term, holds)) = open.pop() else { break };
        match (terms.view(term), holds) {
            (TermView::Bind(Binder::Forall, variables, children), true)
            | (TermView::Bind(Binder::Exists, variables, children), false) => {
                let refuted = (children[0], !holds);
                if let Some((sort, count)) = bound_of(model, &terms, &mut free, variables, refuted) {
                    let known = bounds.entry(sort).or_insert(count);
                    *known = count.min(*known);
                }
            }
            (view, _) => open.extend(conjuncts(view, holds).unwrap_or_default()),
        }
    }
    bounds
}

/// The parts that must all be true or false if a term is; `None` for any other term.
fn conjuncts(view: TermView<'_>, holds: bool) -> Option<Vec<(Term, bool)>> {
    let all = |children: &[Term], sign: bool| children.iter().map(|&child| (child, sign)).collect();
    match view {
        TermView::Annotated(_, children) => Some(vec![(children[0], holds)]),
        TermView::Application(head, children) => match (head.symbol, holds, children) {
            (Symbol::NOT, _, &[child]) => Some(vec![(child, !holds)]),
            (Symbol::AND, true, _) | (Symbol::OR, false, _) => Some(all(children, holds)),
            (Symbol::IMPLIES, false, [premises @ .., conclusion]) => {
                let mut parts: Vec<(Term, bool)> = all(premises, true);
                parts.push((*conclusion, false));
                Some(parts)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The greatest number of elements of a sort if no values of these variables make a formula hold.
///
/// If the formula is a conjunction of disequalities among `m` variables and with `n` other terms, it would hold of any `m`
/// elements that differ from each other and from the terms. So there are fewer than `m + n` elements.
fn bound_of(
    model: &Model,
    terms: &TheoryView<'_>,
    free: &mut FreeVariables,
    variables: &[Variable],
    formula: (Term, bool),
) -> Option<(Sort, usize)> {
    let arena = model.arena();
    let sort = arena.canonical(variables.first()?.sort);
    let is_plain = model.is_uninterpreted(sort) && arena.view_sort(sort).arguments.is_empty();
    if !is_plain || variables.iter().any(|variable| arena.canonical(variable.sort) != sort) {
        return None;
    }
    let (mut used, mut others) = (FxHashSet::default(), FxHashSet::default());
    for (a, b) in disequalities(terms, formula)? {
        let mut is_about_variable = false;
        for side in [a, b] {
            match terms.view(side) {
                TermView::Variable(name) if variables.iter().any(|variable| variable.name == name) => {
                    used.insert(name);
                    is_about_variable = true;
                }
                _ if free.of(arena, side).is_empty() => drop(others.insert(side)),
                _ => return None,
            }
        }
        if a == b || !is_about_variable {
            return None;
        }
    }
    let count = (used.len() + others.len()).checked_sub(1)?;
    (1..=MAX_ELEMENTS).contains(&count).then_some((sort, count))
}

/// The disequalities of which a formula is the conjunction; `None` for any other formula.
fn disequalities(terms: &TheoryView<'_>, formula: (Term, bool)) -> Option<Vec<(Term, Term)>> {
    let mut pairs = Vec::new();
    let mut open = vec![formula];
    while let Some((term, holds)) = open.pop() {
        if open.len() + pairs.len() > MAX_BOUNDING_TERMS {
            return None;
        }
        let view = terms.view(term);
        if let Some(parts) = conjuncts(view, holds) {
            open.extend(parts);
            continue;
        }
        let TermView::Application(head, children) = view else { return None };
        match (head.symbol, holds, children) {
            (Symbol::EQUAL, false, &[a, b]) => pairs.push((a, b)),
            (Symbol::DISTINCT, true, [_, _, ..]) => {
                for (place, &a) in children.iter().enumerate() {
                    pairs.extend(children[place + 1..].iter().map(|&b| (a, b)));
                }
            }
            _ => return None,
        }
    }
    Some(pairs)
}
