//! Constrained Horn clauses: systems of implications between predicates, as CHC solvers read them.
//!
//! ```text
//! (forall ((x Int)) (=> (and (inv x) (< x 10)) (inv (+ x 1))))
//!          variables         call    constraint  head
//! ```
//!
//! A script is such a system if everything that it asserts is: [`System::read`] says so, or which assertion is not and why.
//! Clauses may be written in many ways (as disjunctions, under `not exists`, with `let`, several in one assertion, or as
//! rules and a query); what is read is one normal form, from which either style can be written.
//!
//! The two styles answer with opposite words. A system that has a model is `sat` where it is asserted, and `unsat` where it
//! is queried: there is nothing to be found.

mod clausify;
mod fresh_names;
mod model_validation;
mod read;
mod skolem;
mod unroll;
mod write;

use std::fmt;

use crate::arena::Arena;
use crate::command::Command;
use crate::script::Script;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Term, Variable, View};

use fresh_names::{FreshConstants, UsedNames};

pub use model_validation::ModelValidation;

/// A system of constrained Horn clauses.
#[derive(Debug, Clone)]
pub struct System {
    /// Holds the names, sorts and terms.
    base: Script,
    /// How it was written.
    pub form: HornForm,
    /// The predicates that clauses are about.
    pub predicates: Vec<Predicate>,
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// What comes before the clauses beside predicates: options, sorts, definitions.
    prelude: Vec<Command>,
    /// What follows the question.
    epilogue: Vec<Command>,
    names: UsedNames,
}

/// The styles in which a system can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HornForm {
    /// `(set-logic HORN)`, assertions and `(check-sat)`.
    Horn,
    /// `declare-rel`, `declare-var`, `rule` and `query`.
    Fixedpoint,
}

/// A predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    /// Its name.
    pub name: Symbol,
    /// The sorts of its arguments, as written.
    pub sorts: Vec<Sort>,
}

/// One clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// The variables that it is about; no two have one name.
    pub variables: Vec<Variable>,
    /// Its conditions: applications of predicates, and terms without any.
    pub body: Vec<Term>,
    /// The application of a predicate that follows; nothing for `false`.
    pub head: Option<Term>,
    /// The assertion that says this and nothing else as it was written, as long as the clause is what was read.
    pub written: Option<Term>,
}

/// Why a script is no system of Horn clauses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotHorn {
    /// The command at fault, from 0; nothing if it is the whole.
    pub command: Option<usize>,
    /// Which assertion (or rule, or query) that is, from 1, if it is one.
    pub assertion: Option<usize>,
    /// Why.
    pub why: String,
}

impl fmt::Display for NotHorn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.assertion, self.command) {
            (Some(number), _) => write!(f, "assertion {number} is no Horn clause: {}", self.why),
            (None, Some(command)) => write!(f, "command {}: {}", command + 1, self.why),
            (None, None) => f.write_str(&self.why),
        }
    }
}

impl std::error::Error for NotHorn {}

impl System {
    /// The names, sorts and terms.
    pub fn arena(&self) -> &Arena {
        self.base.arena()
    }

    /// The names, sorts and terms, to add more.
    pub fn arena_mut(&mut self) -> &mut Arena {
        self.base.arena_mut()
    }

    /// Reads something into the script that holds the names, sorts and terms.
    pub fn with_script<T>(&mut self, read: impl FnOnce(&mut Script) -> T) -> T {
        read(&mut self.base)
    }

    /// The predicate that a term applies, with its arguments; nothing for any other term.
    pub fn call(&self, term: Term) -> Option<(usize, &[Term])> {
        let View::Application(head, arguments) = self.arena().view(term) else { return None };
        let predicate = self.predicates.iter().position(|predicate| predicate.name == head.symbol)?;
        Some((predicate, arguments))
    }

    /// The conditions of a clause that apply predicates.
    pub fn calls(&self, clause: &Clause) -> Vec<Term> {
        clause.body.iter().copied().filter(|&term| self.call(term).is_some()).collect()
    }

    /// The conditions of a clause that apply none.
    pub fn constraints(&self, clause: &Clause) -> Vec<Term> {
        clause.body.iter().copied().filter(|&term| self.call(term).is_none()).collect()
    }

    /// Whether no clause has more than one call in its body.
    pub fn is_linear(&self) -> bool {
        self.clauses.iter().all(|clause| self.calls(clause).len() <= 1)
    }

    /// A name that nothing has yet, like this one.
    pub fn fresh(&mut self, like: &str) -> Symbol {
        self.names.fresh(self.base.arena_mut(), like)
    }
}

#[cfg(test)]
mod tests;
