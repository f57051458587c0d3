//! Phrases: what a solver says about the clauses of a seed, to be said in mutants of it.
//!
//! * Rewrites: a constraint in other words, by z3's own simplifier with one of its parameters
//!   (`rules/rewrites.txt`), `(not (<= x 3))` for `(> x 3)`. Kept if z3 finds that the two are equal.
//! * Lemmas: what a predicate implies by a model of the whole system, `(<= a 10)` for `(inv a)`. Kept if a solver finds that
//!   every clause holds under that model.
//!
//! A seed is asked about once, and what came of it is recorded with it, so that a case follows from the record.

use std::sync::Arc;

use gainsay_smt::import::{Import, Renaming};
use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Definition, Script, Term, Variable};
use serde::{Deserialize, Serialize};

/// What a solver says about the clauses of a seed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HornAdvice {
    /// Constraints in other words.
    pub rewrites: Vec<ConstraintRewrite>,
    /// What predicates imply.
    pub lemmas: Vec<PredicateLemma>,
}

/// A constraint in other words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstraintRewrite {
    /// The parameter of the rewriter; `-` for none.
    pub parameter: String,
    /// The variables of both, `((x Int) (y Int))`.
    pub variables: String,
    /// As it stands in the seed.
    pub old: String,
    /// In other words.
    pub new: String,
}

/// What a predicate implies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredicateLemma {
    /// The predicate.
    pub predicate: String,
    /// Its parameters, `((a Int))`.
    pub parameters: String,
    /// What holds of them wherever the predicate does.
    pub term: String,
}

/// A text as a term of a script, with the variables that are free in it.
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

/// What declares the sorts and functions of a script, but for its predicates.
pub(crate) fn declarations(script: &Script) -> String {
    let wanted = |command: &&Command| command.is_declaration() && !matches!(command, Command::Declare(..));
    let commands = script.commands.iter().filter(wanted);
    commands.map(|command| command_text(script.arena(), command) + "\n").collect()
}
