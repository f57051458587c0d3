//! Mutations that need the answer of the system (HornGator's drop of assertions, added constraints and heads that become false, and the
//! opposite of the second).
//!
//! ```text
//! drop-clause      c, d, e                 becomes   c, e                        if the system is satisfiable
//! guard            (=> a (P x))            becomes   (=> (and a (<= x y)) (P x))   if the system is satisfiable
//! drop-condition   (=> (and a b) (P x))    becomes   (=> a (P x))                  if the system is unsatisfiable
//! false-head       (=> a (P x))            becomes   (=> a false)                  if the system is unsatisfiable
//! ```
//!
//! The first two make the system weaker: every model of it is a model of the mutant, so lemmas about its predicates hold, too. The last two
//! replace a clause by one that implies it: every model of the mutant would be one of the system.

use gainsay_smt::horn::{Clause, System};
use gainsay_smt::{Arena, Symbol, Term, TermView};

use super::clauses::case_of;
use super::{HornMutant, HornMutation, HornSource};
use crate::random::Rng;
use gainsay_solvers::run::Answer;

/// Removes a clause of a satisfiable system.
pub struct DropClause;

impl HornMutation for DropClause {
    fn name(&self) -> &'static str {
        "drop-clause"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        if source.status != Some(Answer::Sat) || system.clauses.len() < 2 {
            return None;
        }
        system.clauses.remove(rng.below(system.clauses.len()));
        Some(HornMutant::system(&system, "a clause less"))
    }
}

/// Adds a condition to a clause of a satisfiable system.
pub struct GuardClause;

impl HornMutation for GuardClause {
    fn name(&self) -> &'static str {
        "guard"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let mut system = source.system.clone();
        if source.status != Some(Answer::Sat) || system.clauses.is_empty() {
            return None;
        }
        let number = rng.below(system.clauses.len());
        let clause = system.clauses[number].clone();
        let condition = case_of(&mut system, &clause, rng)?;
        let body = clause.body.iter().copied().chain([condition]).collect();
        Some(replaced(system, number, Clause { body, ..clause }, "a clause under a condition"))
    }
}

/// Removes a condition of a clause of an unsatisfiable system.
pub struct DropCondition;

impl HornMutation for DropCondition {
    fn name(&self) -> &'static str {
        "drop-condition"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let arena = source.system.arena();
        let (number, mut clause) = draw(source, rng, |clause| conditions(arena, clause).len() > 1)?;
        clause.body = conditions(arena, &clause);
        clause.body.remove(rng.below(clause.body.len()));
        Some(replaced(source.system.clone(), number, clause, "a clause with a condition less"))
    }
}

/// Replaces the head of a clause of an unsatisfiable system by `false`.
pub struct FalseHead;

impl HornMutation for FalseHead {
    fn name(&self) -> &'static str {
        "false-head"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let (number, clause) = draw(source, rng, |clause| clause.head.is_some() && !clause.body.is_empty())?;
        let clause = Clause { head: None, ..clause };
        Some(replaced(source.system.clone(), number, clause, "a clause that implies false"))
    }
}

/// The conditions of a clause, with those of a conjunction one by one.
fn conditions(arena: &Arena, clause: &Clause) -> Vec<Term> {
    let of = |&term: &Term| match arena.view(term) {
        TermView::Application(head, children) if head.symbol == Symbol::AND => children.to_vec(),
        _ => vec![term],
    };
    clause.body.iter().flat_map(of).collect()
}

/// Draws a clause of an unsatisfiable system.
fn draw(
    source: &HornSource<'_>,
    rng: &mut Rng,
    is_wanted: impl Fn(&Clause) -> bool,
) -> Option<(usize, Clause)> {
    let clauses = source.system.clauses.iter().enumerate();
    let wanted: Vec<(usize, &Clause)> = clauses.filter(|(_, clause)| is_wanted(clause)).collect();
    let drawn = rng.choose(&wanted).filter(|_| source.status == Some(Answer::Unsat))?;
    Some((drawn.0, drawn.1.clone()))
}

/// The system with another clause at this place.
fn replaced(mut system: System, number: usize, clause: Clause, words: &str) -> HornMutant {
    system.clauses[number] = Clause { written: None, ..clause };
    HornMutant::system(&system, words)
}
