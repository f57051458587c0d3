//! Mutations of one place: reorders, repeats or nests the parts of a conjunction, disjunction or quantifier prefix.
//!
//! ```text
//! swap-and     (and a b c)                 becomes   (and c b a)
//! dup-and      (and a b)                   becomes   (and a b a)
//! break-and    (and a b c)                 becomes   (and a (and b c))
//! swap-or      (or a b)                    becomes   (or b a)
//! mix-vars     (forall ((x S) (y T)) a)    becomes   (forall ((y T) (x S)) a)
//! ```
//!
//! The new term is equivalent to the old one, wherever it stands.

use gainsay_smt::print::term_text_within;
use gainsay_smt::{Arena, Head, Script, Sort, Symbol, Term, TermView, Variable};

use super::{HornMutant, HornMutation, HornSource};
use crate::MAX_TERM_BYTES_SHOWN;
use crate::random::Rng;

/// Swaps two terms of a conjunction.
pub struct SwapAnd;

impl HornMutation for SwapAnd {
    fn name(&self) -> &'static str {
        "swap-and"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        rearrange(source, rng, (Symbol::AND, 2), swapped)
    }
}

/// Repeats one term of a conjunction.
pub struct DuplicateAnd;

impl HornMutation for DuplicateAnd {
    fn name(&self) -> &'static str {
        "dup-and"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        rearrange(source, rng, (Symbol::AND, 1), |_, terms, rng| {
            let twice = terms[rng.below(terms.len())];
            Some(terms.iter().copied().chain([twice]).collect())
        })
    }
}

/// Nests a part of a conjunction in another.
pub struct BreakAnd;

impl HornMutation for BreakAnd {
    fn name(&self) -> &'static str {
        "break-and"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        rearrange(source, rng, (Symbol::AND, 3), |arena, terms, rng| {
            let length = 2 + rng.below(terms.len() - 2);
            let start = rng.below(terms.len() - length + 1);
            let inner =
                arena.application(Head::plain(Symbol::AND), &terms[start..start + length], Sort::BOOL);
            Some([&terms[..start], &[inner], &terms[start + length..]].concat())
        })
    }
}

/// Swaps two terms of a disjunction.
pub struct SwapOr;

impl HornMutation for SwapOr {
    fn name(&self) -> &'static str {
        "swap-or"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        rearrange(source, rng, (Symbol::OR, 2), swapped)
    }
}

/// Reorders the variables of a quantifier.
pub struct MixVariables;

impl HornMutation for MixVariables {
    fn name(&self) -> &'static str {
        "mix-vars"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let arena = source.script.arena();
        let place = source.draw(rng, |term| prefix(arena, term).is_some())?;
        let old = source.places().list()[place].term;
        let (mut script, mut variables) = (source.script.clone(), prefix(arena, old)?.to_vec());
        let before = variables.clone();
        while variables == before {
            rng.shuffle(&mut variables);
        }
        let TermView::Bind(binder, _, bodies) = arena.view(old) else { return None };
        let new = script.arena_mut().bind(binder, &variables, bodies, Sort::BOOL);
        let words = shown(&script, old, new);
        Some(source.edit(script, place, new, words))
    }
}

/// The variables of a quantifier, if they can be reordered: at least two, with distinct names.
fn prefix(arena: &Arena, term: Term) -> Option<&[Variable]> {
    let TermView::Bind(_, variables, _) = arena.view(term) else { return None };
    let mut names: Vec<Symbol> = variables.iter().map(|variable| variable.name).collect();
    names.sort_unstable();
    names.dedup();
    (variables.len() > 1 && names.len() == variables.len() && arena.sort_of(term) == Sort::BOOL)
        .then_some(variables)
}

/// The terms with two different ones swapped.
fn swapped(_: &mut Arena, terms: &[Term], rng: &mut Rng) -> Option<Vec<Term>> {
    let first = rng.below(terms.len());
    let others: Vec<usize> = (0..terms.len()).filter(|&other| terms[other] != terms[first]).collect();
    let second = *rng.choose(&others)?;
    let mut swapped = terms.to_vec();
    swapped.swap(first, second);
    Some(swapped)
}

/// Changes the terms of a connective that has at least `least`.
fn rearrange(
    source: &HornSource<'_>,
    rng: &mut Rng,
    (connective, least): (Symbol, usize),
    change: impl Fn(&mut Arena, &[Term], &mut Rng) -> Option<Vec<Term>>,
) -> Option<HornMutant> {
    let arena = source.script.arena();
    let terms_of = |term: Term| match arena.view(term) {
        TermView::Application(head, terms) if head.symbol == connective => Some(terms),
        _ => None,
    };
    let place = source.draw(rng, |term| terms_of(term).is_some_and(|terms| terms.len() >= least))?;
    let old = source.places().list()[place].term;
    let mut script = source.script.clone();
    let terms = change(script.arena_mut(), terms_of(old)?, rng)?;
    let new = script.arena_mut().application(Head::plain(connective), &terms, Sort::BOOL);
    let words = shown(&script, old, new);
    Some(source.edit(script, place, new, words))
}

/// Describes the change in short.
pub(super) fn shown(script: &Script, old: Term, new: Term) -> String {
    let show = |term: Term| term_text_within(script.arena(), term, MAX_TERM_BYTES_SHOWN);
    format!("{} -> {}", show(old), show(new))
}
