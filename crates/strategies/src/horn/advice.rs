//! A solver's advice about the clauses of a seed, for use in its mutants.
//!
//! * Rewrites: an equal constraint from z3's simplifier with one of its parameters (`rules/rewrites.txt`), such as
//!   `(not (<= x 3))` for `(> x 3)`. Kept if z3 proves the two equal.
//! * Lemmas: consequences of a predicate in a model of the whole system, such as `(<= a 10)` for `(inv a)`. Kept if a solver
//!   proves that every clause holds in that model.
//!
//! A solver is asked once per seed (`campaign/scripts/advice/horn.rs`), and its advice is recorded with the seed, so that cases can be
//! remade from the record.

use std::sync::Arc;

use gainsay_smt::import::{Import, Renaming};
use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Definition, Script, Term, Variable};
use serde::{Deserialize, Serialize};

/// A solver's advice about the clauses of a seed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HornAdvice {
    /// Constraints and equal ones.
    pub rewrites: Vec<ConstraintRewrite>,
    /// What predicates imply.
    pub lemmas: Vec<PredicateLemma>,
}

/// A constraint and an equal one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstraintRewrite {
    /// The parameter of z3's simplifier; `-` for none.
    pub parameter: String,
    /// The variables of both, `((x Int) (y Int))`.
    pub variables: String,
    /// The constraint in the seed.
    pub old: String,
    /// The equal constraint.
    pub new: String,
}

/// An implication of a predicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredicateLemma {
    /// The predicate.
    pub predicate: String,
    /// Its parameters, `((a Int))`.
    pub parameters: String,
    /// The term that holds for the parameters whenever the predicate does.
    pub term: String,
}

/// Reads a text as a term of a script, with its free variables.
pub fn read_term(script: &mut Script, variables: &str, term: &str) -> Option<(Vec<Variable>, Term)> {
    let mut text = declarations(script);
    text.push_str(&format!("(define-fun phrase~ {variables} Bool {term})"));
    let read = Script::parse(&text, script.arena().signature()).ok()?;
    let Command::Define(_, definition) = read.commands.last()? else { return None };
    let definition: Arc<Definition> = Arc::clone(definition);
    let renaming = Renaming::default();
    let mut import = Import::new(read.arena(), &renaming, script.arena_mut());
    let body = import.term(definition.body);
    let sorts: Vec<_> = definition.parameters.iter().map(|parameter| import.sort(parameter.sort)).collect();
    let arena = script.arena_mut();
    let names = definition.parameters.iter().map(|parameter| arena.symbol(read.arena().text(parameter.name)));
    let variables = names.collect::<Vec<_>>().into_iter().zip(sorts);
    Some((variables.map(|(name, sort)| Variable { name, sort }).collect(), body))
}

/// The declarations of a script's sorts and functions, without its predicates.
pub fn declarations(script: &Script) -> String {
    let wanted = |command: &&Command| command.is_declaration() && !matches!(command, Command::Declare(..));
    let commands = script.commands.iter().filter(wanted);
    commands.map(|command| command_text(script.arena(), command) + "\n").collect()
}
