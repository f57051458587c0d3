//! Mutations that use a solver's advice about the seed (`advice.rs`).
//!
//! ```text
//! rewrite     (and (inv x) (> x 3))   becomes   (and (inv x) (not (<= x 3)))
//! lemma       (=> (inv x) (end x))    becomes   (=> (and (inv x) (<= x 10)) (end x))
//! invariant   adds   (=> (and (inv x) (not (<= x 10))) false)
//! ```
//!
//! A rewrite is equal to the constraint it replaces. A lemma holds for a predicate in a model of the whole system, and
//! that model is a model of the mutant, too. Only satisfiable systems have lemmas.

use gainsay_smt::horn::{Clause, Predicate, System};
use gainsay_smt::print::symbol_text;
use gainsay_smt::substitute::Substitution;
use gainsay_smt::variables::free;
use gainsay_smt::{Head, Sort, Symbol, Term};

use super::advice::{ConstraintRewrite, PredicateLemma, read_term};
use super::place::shown;
use super::{HornMutant, HornMutation, HornSource, MutationOrigin};
use crate::random::Rng;

/// Rewrites that are tried before the mutation is given up.
const MAX_REWRITE_TRIES: usize = 64;

/// Replaces a constraint by an equal one. Rewrites are of constraints of the seed, of which earlier steps have changed some, so the mutation
/// tries them in random order, and backwards, too.
pub struct RewriteConstraint;

impl HornMutation for RewriteConstraint {
    fn name(&self) -> &'static str {
        "rewrite"
    }

    fn kind(&self) -> MutationOrigin {
        MutationOrigin::Rewrite
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let rewrites = &source.advice?.rewrites;
        let mut tries: Vec<usize> = (0..2 * rewrites.len()).collect();
        rng.shuffle(&mut tries);
        let mut script = source.script.clone();
        for number in tries.into_iter().take(MAX_REWRITE_TRIES) {
            let ConstraintRewrite { parameter, variables, old, new } = &rewrites[number / 2];
            let (old, new) = if number % 2 == 0 { (old, new) } else { (new, old) };
            let Some((_, old)) = read_term(&mut script, variables, old) else { continue };
            // The terms are equal for all values of their variables, so the replacement is right wherever the term
            // stands.
            let Some(place) = source.draw(rng, |term| term == old) else { continue };
            let (_, new) = read_term(&mut script, variables, new)?;
            let known = free(script.arena(), old);
            if !free(script.arena(), new).iter().all(|variable| known.contains(variable)) {
                continue;
            }
            let words = format!("{parameter}: {}", shown(&script, old, new));
            return Some(source.edit(script, place, new, words));
        }
        None
    }
}

/// Adds a lemma to a clause that calls its predicate.
pub struct AddLemma;

impl HornMutation for AddLemma {
    fn name(&self) -> &'static str {
        "lemma"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let (lemma, predicate) = draw(source, rng)?;
        let mut system = source.system.clone();
        let calls = system.clauses.iter().enumerate().flat_map(|(number, clause)| {
            let own =
                clause.body.iter().filter(|&&term| system.call(term).is_some_and(|(of, _)| of == predicate));
            own.map(move |&term| (number, term))
        });
        let calls: Vec<(usize, Term)> = calls.collect();
        let &(number, call) = rng.choose(&calls)?;
        let arguments = system.call(call)?.1.to_vec();
        let term = instance(&mut system, lemma, &arguments)?;
        let clause = &mut system.clauses[number];
        clause.body.push(term);
        clause.written = None;
        Some(HornMutant::system(&system, format!("{} where {} holds", lemma.term, lemma.predicate)))
    }
}

/// Adds a clause that states a lemma.
pub struct AddInvariant;

impl HornMutation for AddInvariant {
    fn name(&self) -> &'static str {
        "invariant"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let (lemma, predicate) = draw(source, rng)?;
        let mut system = source.system.clone();
        let Predicate { name, sorts } = system.predicates[predicate].clone();
        let variables = super::rules::variables(&mut system, &sorts);
        let arena = system.arena_mut();
        let arguments: Vec<Term> = variables.iter().map(|&variable| arena.variable(variable)).collect();
        let call = arena.application(Head::plain(name), &arguments, Sort::BOOL);
        let term = instance(&mut system, lemma, &arguments)?;
        let not = system.arena_mut().application(Head::plain(Symbol::NOT), &[term], Sort::BOOL);
        system.clauses.push(Clause { variables, body: vec![call, not], head: None, written: None });
        Some(HornMutant::system(&system, format!("{} wherever {} holds", lemma.term, lemma.predicate)))
    }
}

/// Draws a lemma about a predicate that the system still has.
fn draw<'a>(source: &HornSource<'a>, rng: &mut Rng) -> Option<(&'a PredicateLemma, usize)> {
    let lemma = rng.choose(&source.advice?.lemmas)?;
    let system = source.system;
    let is_meant = |predicate: &Predicate| symbol_text(system.arena(), predicate.name) == lemma.predicate;
    Some((lemma, system.predicates.iter().position(is_meant)?))
}

/// A lemma with its parameters replaced by arguments; `None` if a binder would capture a variable.
fn instance(system: &mut System, lemma: &PredicateLemma, arguments: &[Term]) -> Option<Term> {
    let (parameters, term) =
        system.with_script(|script| read_term(script, &lemma.parameters, &lemma.term))?;
    let names = parameters.iter().map(|parameter| parameter.name);
    let bindings: Vec<(Symbol, Term)> = names.zip(arguments.iter().copied()).collect();
    (parameters.len() == arguments.len()).then_some(())?;
    Substitution::default().apply(system.arena_mut(), term, &bindings)
}
