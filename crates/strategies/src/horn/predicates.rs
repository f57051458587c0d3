//! Mutations of predicates.
//!
//! ```text
//! permute      (P x y)               becomes   (Q y x), everywhere
//! rename       (P x y)               becomes   (Q x y), everywhere
//! redundant    (=> (P x y) (R x))    becomes   (=> (P x y) (Q x y)), (=> (Q x y) (R x))
//! ```
//!
//! With the predicate renamed, a model of one system is a model of the other. With the indirection, `Q` holds at least
//! where `P` does, so a clause that uses `Q` in place of `P` is at least as strong; and a model of the old system, with
//! `Q` as `P`, is a model of the new one.

use gainsay_smt::horn::{Clause, Predicate, System};
use gainsay_smt::{Head, Sort, Symbol, Term};

use super::{HornMutant, HornMutation, HornSource};
use crate::random::Rng;

/// Permutes the arguments of a predicate.
pub struct PermuteArguments;

impl HornMutation for PermuteArguments {
    fn name(&self) -> &'static str {
        "permute"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let wide: Vec<usize> = (0..source.system.predicates.len())
            .filter(|&predicate| source.system.predicates[predicate].sorts.len() > 1)
            .collect();
        let predicate = *rng.choose(&wide)?;
        let straight: Vec<usize> = (0..source.system.predicates[predicate].sorts.len()).collect();
        let mut order = straight.clone();
        while order == straight {
            rng.shuffle(&mut order);
        }
        Some(renamed(source.system, predicate, &order, "with its arguments in another order"))
    }
}

/// Renames a predicate.
pub struct RenamePredicate;

impl HornMutation for RenamePredicate {
    fn name(&self) -> &'static str {
        "rename"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let predicate = rng.below(source.system.predicates.len().max(1));
        let sorts = &source.system.predicates.get(predicate)?.sorts;
        let order: Vec<usize> = (0..sorts.len()).collect();
        Some(renamed(source.system, predicate, &order, "under another name"))
    }
}

/// The system with a predicate renamed and its arguments in this order.
fn renamed(system: &System, predicate: usize, order: &[usize], what: &str) -> HornMutant {
    let mut system = system.clone();
    let old = system.predicates[predicate].clone();
    let text = system.arena().text(old.name).to_owned();
    let name = system.fresh(&text);
    let mut clauses = std::mem::take(&mut system.clauses);
    for clause in &mut clauses {
        let mut is_changed = false;
        for term in clause.body.iter_mut().chain(&mut clause.head) {
            let Some((_, arguments)) = system.call(*term).filter(|(of, _)| *of == predicate) else {
                continue;
            };
            let arguments: Vec<Term> = order.iter().map(|&place| arguments[place]).collect();
            *term = system.arena_mut().application(Head::plain(name), &arguments, Sort::BOOL);
            is_changed = true;
        }
        if is_changed {
            clause.written = None;
        }
    }
    system.clauses = clauses;
    let sorts = order.iter().map(|&place| old.sorts[place]).collect();
    system.predicates[predicate] = Predicate { name, sorts };
    HornMutant::system(&system, format!("{text} {what}"))
}

/// Replaces a predicate in a body by a new one that it implies.
pub struct AddIndirection;

impl HornMutation for AddIndirection {
    fn name(&self) -> &'static str {
        "redundant"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let mut calls = Vec::new();
        for (number, clause) in system.clauses.iter().enumerate() {
            calls.extend((0..clause.body.len()).filter_map(|place| {
                let (predicate, _) = system.call(clause.body[place])?;
                Some((number, place, predicate))
            }));
        }
        let &(number, place, predicate) = rng.choose(&calls)?;
        let Predicate { name: old, sorts } = system.predicates[predicate].clone();
        let text = system.arena().text(old).to_owned();
        let name = system.fresh(&text);
        let through = implication(&mut system, old, name, &sorts);
        let arguments = system.call(system.clauses[number].body[place])?.1.to_vec();
        let call = system.arena_mut().application(Head::plain(name), &arguments, Sort::BOOL);
        let clause = &mut system.clauses[number];
        clause.body[place] = call;
        clause.written = None;
        system.predicates.push(Predicate { name, sorts });
        system.clauses.push(through);
        Some(HornMutant::system(&system, format!("{text} through another predicate")))
    }
}

/// `(=> (old x…) (new x…))`
fn implication(system: &mut System, old: Symbol, new: Symbol, sorts: &[Sort]) -> Clause {
    let variables = super::rules::variables(system, sorts);
    let arena = system.arena_mut();
    let arguments: Vec<Term> = variables.iter().map(|&variable| arena.variable(variable)).collect();
    let mut call = |name: Symbol| arena.application(Head::plain(name), &arguments, Sort::BOOL);
    let (body, head) = (vec![call(old)], Some(call(new)));
    Clause { variables, body, head, written: None }
}
