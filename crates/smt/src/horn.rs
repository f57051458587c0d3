//! Constrained Horn clauses (CHCs): systems of implications between predicates.
//!
//! ```text
//! (forall ((x Int)) (=> (and (inv x) (< x 10)) (inv (+ x 1))))
//!          variables         call    constraint  head
//! ```
//!
//! A script is such a system if all of its assertions are clauses: [`System::read`] returns the system, or the first assertion
//! that is no clause and the reason. Clauses may be written in many ways (as disjunctions, under `not exists`, with `let`,
//! several in one assertion, or as rules and a query); `System` is a normal form that can be written in either style.
//!
//! The two styles have opposite answers. A system that has a model is `sat` as assertions, and `unsat` as rules with a query:
//! the query has no derivation.

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
use crate::term::{Term, TermView, Variable};

use fresh_names::{FreshConstants, UsedNames};

pub use model_validation::ModelValidation;

/// A system of constrained Horn clauses.
#[derive(Debug, Clone)]
pub struct System {
    /// Holds the names, sorts and terms.
    base: Script,
    /// The style that it was written in.
    pub form: HornForm,
    /// The predicates of the clauses.
    pub predicates: Vec<Predicate>,
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// The commands before the clauses, except for declarations of predicates: options, sorts, definitions.
    prelude: Vec<Command>,
    /// The commands after the `check-sat` or `query`.
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
    /// Its universally quantified variables, with distinct names.
    pub variables: Vec<Variable>,
    /// Its conditions: applications of predicates, and terms without any.
    pub body: Vec<Term>,
    /// The predicate application that it implies; `None` for `false`.
    pub head: Option<Term>,
    /// The assertion that it was read from, if that says nothing else and the clause is unchanged.
    pub written: Option<Term>,
}

/// Why a script is not a system of Horn clauses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotHorn {
    /// The index of the command at fault; `None` if it is the whole script.
    pub command: Option<usize>,
    /// The number of the assertion, rule or query, from 1, if it is one.
    pub assertion: Option<usize>,
    /// The reason.
    pub why: String,
}

impl fmt::Display for NotHorn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.assertion, self.command) {
            (Some(number), _) => write!(f, "assertion {number} is not a Horn clause: {}", self.why),
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

    /// Calls `read` with the script that holds the names, sorts and terms.
    pub fn with_script<T>(&mut self, read: impl FnOnce(&mut Script) -> T) -> T {
        read(&mut self.base)
    }

    /// The predicate that a term applies, with its arguments; `None` for any other term.
    pub fn call(&self, term: Term) -> Option<(usize, &[Term])> {
        let TermView::Application(head, arguments) = self.arena().view(term) else { return None };
        let predicate = self.predicates.iter().position(|predicate| predicate.name == head.symbol)?;
        Some((predicate, arguments))
    }

    /// The conditions of a clause that apply predicates.
    pub fn calls(&self, clause: &Clause) -> Vec<Term> {
        clause.body.iter().copied().filter(|&term| self.call(term).is_some()).collect()
    }

    /// The conditions of a clause without predicates.
    pub fn constraints(&self, clause: &Clause) -> Vec<Term> {
        clause.body.iter().copied().filter(|&term| self.call(term).is_none()).collect()
    }

    /// Returns true if no clause has more than one call in its body.
    pub fn is_linear(&self) -> bool {
        self.clauses.iter().all(|clause| self.calls(clause).len() <= 1)
    }

    /// A fresh name like this one.
    pub fn fresh(&mut self, like: &str) -> Symbol {
        self.names.fresh(self.base.arena_mut(), like)
    }
}

#[cfg(test)]
mod tests;
