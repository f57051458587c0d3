//! Resolves a clause with the clauses of a predicate in its body.
//!
//! ```text
//! (=> (and (P x) a) R), (=> b (P t))   resolve to   (=> (and (= x t) b a) R)
//! ```
//!
//! `resolve` adds such a clause, which follows from the two. `unfold` replaces a clause by its resolvents with all
//! clauses of a predicate: whatever it derives, one of them derives, since nothing else derives the predicate.

use gainsay_smt::horn::{Clause, System};
use gainsay_smt::{Head, Sort, Symbol, Term};

use super::clauses::with_fresh_variables;
use super::{HornMutant, HornMutation, HornSource};
use crate::random::Rng;

/// The most clauses that replace one.
const MAX_RESOLVENTS: usize = 6;

/// The most terms in the body of a resolvent.
const MAX_BODY_TERMS: usize = 60;

/// Replaces a clause by its resolvents.
pub struct UnfoldCall;

impl HornMutation for UnfoldCall {
    fn name(&self) -> &'static str {
        "unfold"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let (number, place, clauses) = draw(&system, rng)?;
        if clauses.len() > MAX_RESOLVENTS {
            return None;
        }
        let mut made = Vec::new();
        for with in clauses {
            made.push(resolvent(&mut system, number, place, with)?);
        }
        system.clauses.splice(number..=number, made);
        Some(HornMutant::system(&system, "a call is what derives it"))
    }
}

/// Adds a resolvent.
pub struct AddResolvent;

impl HornMutation for AddResolvent {
    fn name(&self) -> &'static str {
        "resolve"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let (number, place, clauses) = draw(&system, rng)?;
        let with = *rng.choose(&clauses)?;
        let made = resolvent(&mut system, number, place, with)?;
        system.clauses.push(made);
        Some(HornMutant::system(&system, "what follows from two clauses"))
    }
}

/// Draws a predicate in the body of a clause: the clause, the position, and the clauses that derive the predicate.
fn draw(system: &System, rng: &mut Rng) -> Option<(usize, usize, Vec<usize>)> {
    let calls = system.clauses.iter().enumerate().flat_map(|(number, clause)| {
        (0..clause.body.len())
            .filter_map(move |place| Some((number, place, system.call(clause.body[place])?.0)))
    });
    let calls: Vec<(usize, usize, usize)> = calls.collect();
    let &(number, place, predicate) = rng.choose(&calls)?;
    let derives = |clause: &Clause| {
        clause.head.and_then(|head| system.call(head)).is_some_and(|(of, _)| of == predicate)
    };
    let clauses = (0..system.clauses.len()).filter(|&with| derives(&system.clauses[with])).collect();
    Some((number, place, clauses))
}

/// The resolvent of a clause, at one position of its body, with another clause.
fn resolvent(system: &mut System, number: usize, place: usize, with: usize) -> Option<Clause> {
    let other = with_fresh_variables(system, with)?;
    let clause = system.clauses[number].clone();
    let given = system.call(clause.body[place])?.1.to_vec();
    let derived = system.call(other.head?)?.1.to_vec();
    let mut body: Vec<Term> = clause.body[..place].to_vec();
    for (given, derived) in given.into_iter().zip(derived) {
        body.push(system.arena_mut().application(Head::plain(Symbol::EQUAL), &[given, derived], Sort::BOOL));
    }
    body.extend(other.body);
    body.extend(&clause.body[place + 1..]);
    if body.len() > MAX_BODY_TERMS {
        return None;
    }
    let variables = clause.variables.into_iter().chain(other.variables).collect();
    Some(Clause { variables, body, head: clause.head, written: None })
}
