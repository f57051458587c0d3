//! Adds clauses that derive nothing.
//!
//! ```text
//! add-lin-rule       (=> (and (< a b) (< b (+ a 1))) (P x y))
//! add-nonlin-rule    (=> (and (> a b) (P x b) (> b a) (P a y)) (P x y))
//! add-dead           (=> (and (dead x) (< x y)) (P x y))        where nothing derives dead
//! ```
//!
//! The condition of the first comes from `rules/contradictions.smt2`, that of the second is a cycle of strict
//! inequalities. Every model of the old system, with `dead` false everywhere, is a model of the new one; and all old
//! clauses stay.

use std::sync::Arc;

use gainsay_smt::horn::{Clause, Predicate, System};
use gainsay_smt::import::{Import, Renaming};
use gainsay_smt::substitute::Substitution;
use gainsay_smt::{Command, Definition, Head, Script, Signature, Sort, Symbol, Term, Variable};

use super::{HornMutant, HornMutation, HornSource};
use crate::random::Rng;

/// The most variables in a cycle of inequalities.
const MAX_CYCLE_LENGTH: usize = 10;

/// The table of contradictions, parsed with the signature of a system.
pub(super) fn contradictions(signature: &Arc<Signature>) -> Script {
    let text = include_str!("../../rules/contradictions.smt2");
    Script::parse(text, signature).expect("the table is a script")
}

/// The rows of the table.
pub(super) fn rows(table: &Script) -> Vec<Arc<Definition>> {
    let rows = table.commands.iter().filter_map(|command| match command {
        Command::Define(_, definition) => Some(Arc::clone(definition)),
        _ => None,
    });
    rows.collect()
}

/// Adds a clause with a contradictory condition.
pub struct AddLinearRule;

impl HornMutation for AddLinearRule {
    fn name(&self) -> &'static str {
        "add-lin-rule"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let (mut variables, head) = call(&mut system, rng)?;
        let table = contradictions(system.arena().signature());
        let rows = rows(&table);
        let row = rng.choose(&rows)?;
        let renaming = Renaming::default();
        let (body, parameters) = {
            let mut import = Import::new(table.arena(), &renaming, system.arena_mut());
            let body = import.term(row.body);
            let sorts: Vec<Sort> =
                row.parameters.iter().map(|parameter| import.sort(parameter.sort)).collect();
            (body, sorts)
        };
        let mut bindings = Vec::new();
        for (parameter, sort) in row.parameters.iter().zip(parameters) {
            let name = system.arena_mut().symbol(table.arena().text(parameter.name));
            let own = variable_of_sort(&mut system, &mut variables, sort, rng);
            bindings.push((name, own));
        }
        let body = Substitution::default().apply(system.arena_mut(), body, &bindings)?;
        add(source, system, Clause { variables, body: vec![body], head: Some(head), written: None })
    }
}

/// Adds a clause with a cycle of strict inequalities, and the predicate beside each.
pub struct AddNonLinearRule;

impl HornMutation for AddNonLinearRule {
    fn name(&self) -> &'static str {
        "add-nonlin-rule"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let (mut variables, head) = call(&mut system, rng)?;
        let (predicate, own) = system.call(head).map(|(predicate, own)| (predicate, own.to_vec()))?;
        let length = 1 + rng.below(MAX_CYCLE_LENGTH);
        let cycle: Vec<Term> = (0..length)
            .map(|_| {
                let variable = Variable { name: system.fresh("n"), sort: Sort::INT };
                variables.push(variable);
                system.arena_mut().variable(variable)
            })
            .collect();
        let name = system.predicates[predicate].name;
        let mut body = Vec::new();
        for (place, &left) in cycle.iter().enumerate() {
            let right = cycle[(place + 1) % length];
            let greater = Head::plain(Symbol::GREATER);
            body.push(system.arena_mut().application(greater, &[left, right], Sort::BOOL));
            let arguments: Vec<Term> =
                own.iter().map(|&term| argument_or_cycle_variable(&system, term, &cycle, rng)).collect();
            body.push(system.arena_mut().application(Head::plain(name), &arguments, Sort::BOOL));
        }
        add(source, system, Clause { variables, body, head: Some(head), written: None })
    }
}

/// The argument, or a variable of the cycle in its place.
fn argument_or_cycle_variable(system: &System, term: Term, cycle: &[Term], rng: &mut Rng) -> Term {
    let fits = system.arena().sort_of(term) == Sort::INT && rng.chance(1, 2);
    if fits { cycle[rng.below(cycle.len())] } else { term }
}

/// Adds a clause that depends on a predicate without clauses.
pub struct AddDeadClause;

impl HornMutation for AddDeadClause {
    fn name(&self) -> &'static str {
        "add-dead"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        let clause = rng.choose(&source.system.clauses)?.clone();
        let sorts: Vec<Sort> = clause.variables.iter().map(|variable| variable.sort).collect();
        let name = system.fresh("dead");
        system.predicates.push(Predicate { name, sorts });
        let arena = system.arena_mut();
        let arguments: Vec<Term> =
            clause.variables.iter().map(|&variable| arena.variable(variable)).collect();
        let dead = arena.application(Head::plain(name), &arguments, Sort::BOOL);
        let body = std::iter::once(dead).chain(clause.body).collect();
        add(source, system, Clause { body, written: None, ..clause })
    }
}

/// An application of one of the predicates to fresh variables.
fn call(system: &mut System, rng: &mut Rng) -> Option<(Vec<Variable>, Term)> {
    let Predicate { name, sorts } = rng.choose(&system.predicates)?.clone();
    let variables = variables(system, &sorts);
    let arena = system.arena_mut();
    let arguments: Vec<Term> = variables.iter().map(|&variable| arena.variable(variable)).collect();
    let call = arena.application(Head::plain(name), &arguments, Sort::BOOL);
    Some((variables, call))
}

/// Fresh variables of these sorts.
pub(super) fn variables(system: &mut System, sorts: &[Sort]) -> Vec<Variable> {
    sorts.iter().map(|&sort| Variable { name: system.fresh("v"), sort }).collect()
}

/// One of these variables of a sort, or a fresh one.
fn variable_of_sort(system: &mut System, variables: &mut Vec<Variable>, sort: Sort, rng: &mut Rng) -> Term {
    let arena = system.arena();
    let fits = |variable: &&Variable| arena.canonical(variable.sort) == arena.canonical(sort);
    let own: Vec<Variable> = variables.iter().filter(fits).copied().collect();
    let variable = match rng.choose(&own) {
        Some(&own) if rng.chance(2, 3) => own,
        _ => {
            let variable = Variable { name: system.fresh("v"), sort };
            variables.push(variable);
            variable
        }
    };
    system.arena_mut().variable(variable)
}

/// Appends a clause to the system.
fn add(source: &HornSource<'_>, mut system: System, clause: Clause) -> Option<HornMutant> {
    let of = clause.head.and_then(|head| system.call(head)).map(|(predicate, _)| predicate);
    let name =
        of.map_or("false", |predicate| system.arena().text(system.predicates[predicate].name)).to_owned();
    debug_assert_eq!(source.system.clauses.len(), system.clauses.len(), "one clause is added");
    system.clauses.push(clause);
    Some(HornMutant::system(&system, format!("a clause for {name}")))
}
