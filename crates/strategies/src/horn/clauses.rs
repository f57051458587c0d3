//! Mutations of the list of clauses.
//!
//! ```text
//! reorder      c, d, e                      becomes   e, c, d
//! duplicate    c                            becomes   c, c
//! split        (=> a P)                     becomes   (=> (and a b) P), (=> (and a (not b)) P)
//! join         (=> a (P s)), (=> b (P t))   becomes   (=> (or (and a (= x s)) (and b (= x t))) (P x))
//! ```
//!
//! The set of clauses stays equivalent. A clause is split by a constraint of another clause whose variables it has, or
//! by a comparison of two of its variables. Only clauses without predicates in their bodies are joined.

use gainsay_smt::horn::{Clause, System};
use gainsay_smt::substitute::Substitution;
use gainsay_smt::{Head, Sort, Symbol, Term, Variable};

use super::{HornMutant, HornMutation, HornSource};
use crate::random::Rng;

/// Reorders the clauses.
pub struct ReorderClauses;

impl HornMutation for ReorderClauses {
    fn name(&self) -> &'static str {
        "reorder"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let before = system.clauses.clone();
        if before.iter().all(|clause| *clause == before[0]) {
            return None;
        }
        while system.clauses == before {
            rng.shuffle(&mut system.clauses);
        }
        Some(HornMutant::system(&system, "the clauses in another order"))
    }
}

/// Repeats a clause.
pub struct DuplicateClause;

impl HornMutation for DuplicateClause {
    fn name(&self) -> &'static str {
        "duplicate"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let clause = rng.choose(&system.clauses)?.clone();
        let place = rng.below(system.clauses.len() + 1);
        system.clauses.insert(place, clause);
        Some(HornMutant::system(&system, "a clause twice"))
    }
}

/// Splits a clause into two by a case distinction.
pub struct SplitClause;

impl HornMutation for SplitClause {
    fn name(&self) -> &'static str {
        "split"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let number = rng.below(system.clauses.len().max(1));
        let clause = system.clauses.get(number)?.clone();
        let case = case_of(&mut system, &clause, rng)?;
        let arena = system.arena_mut();
        let other = arena.application(Head::plain(Symbol::NOT), &[case], Sort::BOOL);
        let with = |condition: Term| {
            let body = clause.body.iter().copied().chain([condition]).collect();
            Clause { body, written: None, ..clause.clone() }
        };
        system.clauses.splice(number..=number, [with(case), with(other)]);
        Some(HornMutant::system(&system, "a clause by cases"))
    }
}

/// Draws a condition on the variables of a clause.
pub(super) fn case_of(system: &mut System, clause: &Clause, rng: &mut Rng) -> Option<Term> {
    let own: Vec<Term> = system.clauses.iter().flat_map(|other| system.constraints(other)).collect();
    let fits = |term: Term| {
        let free = gainsay_smt::variables::free(system.arena(), term);
        free.iter().all(|variable| {
            let own = clause.variables.iter().find(|own| own.name == variable.name);
            own.is_some_and(|own| system.arena().canonical(own.sort) == variable.sort)
        })
    };
    let fitting: Vec<Term> =
        own.into_iter().filter(|&term| !clause.body.contains(&term) && fits(term)).collect();
    if !fitting.is_empty() && rng.chance(1, 2) {
        return rng.choose(&fitting).copied();
    }
    let sort_of = |variable: &Variable| system.arena().canonical(variable.sort);
    let first = *rng.choose(&clause.variables)?;
    let like: Vec<Variable> =
        clause.variables.iter().filter(|other| sort_of(other) == sort_of(&first)).copied().collect();
    let second = *rng.choose(&like)?;
    let is_number = [Sort::INT, Sort::REAL].contains(&sort_of(&first));
    let relation = if is_number { Symbol::AT_MOST } else { Symbol::EQUAL };
    let arena = system.arena_mut();
    let terms = [first, second].map(|variable| arena.variable(variable));
    Some(arena.application(Head::plain(relation), &terms, Sort::BOOL))
}

/// Joins two clauses that have the same head and no predicates in their bodies.
pub struct JoinClauses;

impl HornMutation for JoinClauses {
    fn name(&self) -> &'static str {
        "join"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let joinable: Vec<usize> = (0..system.clauses.len())
            .filter(|&number| system.calls(&system.clauses[number]).is_empty())
            .collect();
        let first = *rng.choose(&joinable)?;
        let of = |number: usize| system.clauses[number].head.map(|head| system.call(head).map(|(of, _)| of));
        let partners: Vec<usize> =
            joinable.into_iter().filter(|&other| other != first && of(other) == of(first)).collect();
        let second = *rng.choose(&partners)?;
        let joined = join(&mut system, first, second)?;
        system.clauses[first] = joined;
        system.clauses.remove(second);
        Some(HornMutant::system(&system, "two clauses as one"))
    }
}

/// The clause equivalent to two whose heads apply the same predicate, or are both `false`.
fn join(system: &mut System, first: usize, second: usize) -> Option<Clause> {
    let (mut variables, mut ways) = (Vec::new(), Vec::new());
    let of = system.clauses[first].head.and_then(|head| system.call(head)).map(|(of, _)| of);
    let sorts = of.map(|of| system.predicates[of].sorts.clone()).unwrap_or_default();
    let shared = super::rules::variables(system, &sorts);
    for number in [first, second] {
        let clause = with_fresh_variables(system, number)?;
        let given = clause.head.and_then(|head| system.call(head)).map(|(_, given)| given.to_vec());
        let arena = system.arena_mut();
        let mut terms = clause.body;
        for (&own, given) in shared.iter().zip(given.unwrap_or_default()) {
            let own = arena.variable(own);
            terms.push(arena.application(Head::plain(Symbol::EQUAL), &[own, given], Sort::BOOL));
        }
        ways.push(match terms.as_slice() {
            [] => arena.application(Head::plain(Symbol::TRUE), &[], Sort::BOOL),
            [only] => *only,
            many => arena.application(Head::plain(Symbol::AND), many, Sort::BOOL),
        });
        variables.extend(clause.variables);
    }
    let arena = system.arena_mut();
    let body = vec![arena.application(Head::plain(Symbol::OR), &ways, Sort::BOOL)];
    let arguments: Vec<Term> = shared.iter().map(|&variable| arena.variable(variable)).collect();
    let head = of.map(|of| system.predicates[of].name);
    let head = head.map(|name| system.arena_mut().application(Head::plain(name), &arguments, Sort::BOOL));
    variables.splice(0..0, shared);
    Some(Clause { variables, body, head, written: None })
}

/// A clause with fresh variables; `None` if a binder would capture one.
pub(super) fn with_fresh_variables(system: &mut System, number: usize) -> Option<Clause> {
    let clause = system.clauses[number].clone();
    let (mut variables, mut bindings) = (Vec::new(), Vec::new());
    for variable in &clause.variables {
        let text = system.arena().text(variable.name).to_owned();
        let own = Variable { name: system.fresh(&text), sort: variable.sort };
        bindings.push((variable.name, system.arena_mut().variable(own)));
        variables.push(own);
    }
    let mut substitution = Substitution::default();
    let arena = system.arena_mut();
    let mut with = |term: Term| substitution.apply(arena, term, &bindings);
    let body = clause.body.iter().map(|&term| with(term)).collect::<Option<Vec<Term>>>()?;
    let head = match clause.head {
        Some(head) => Some(with(head)?),
        None => None,
    };
    Some(Clause { variables, body, head, written: None })
}
