//! Definitions of a model that have no effect.
//!
//! A model interprets the functions that the script declares and the results that the standard leaves open, and may define
//! auxiliary functions for that. It cannot change what a theory or the script defines: under
//! `(define-fun < ((a Int) (b Int)) Bool true)` a wrong `sat` would look right. Solvers do repeat definitions of the script
//! (z3 prints those of `define-fun-rec`), so such a line is not an error.

use std::fmt;

use crate::arena::Arena;
use crate::symbol::Symbol;

/// A line of a model that was ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IgnoredDefinition {
    /// The name that the line defines or declares.
    pub name: Symbol,
    /// Why it has no effect.
    pub reason: IgnoreReason,
}

/// Why a line of a model has no effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IgnoreReason {
    /// It defines an operator of a theory.
    TheoryOperator,
    /// It declares a sort of a theory.
    TheorySort,
    /// It defines a constructor, selector or tester of a datatype.
    DatatypeFunction,
    /// It defines the name of a term, as in `(! t :named n)`.
    NamedTerm,
    /// The script, or an earlier line of the model, defines the same name.
    AlreadyDefined,
    /// The script declares the name with another rank.
    OtherRank,
    /// It declares an element of a sort whose values are fixed, such as `Int`.
    InterpretedSort,
}

impl fmt::Display for IgnoreReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IgnoreReason::TheoryOperator => "a theory defines this operator",
            IgnoreReason::TheorySort => "a theory defines this sort",
            IgnoreReason::DatatypeFunction => "it belongs to a datatype",
            IgnoreReason::NamedTerm => "it is the name of a term",
            IgnoreReason::AlreadyDefined => "it is already defined",
            IgnoreReason::OtherRank => "the script declares it with other sorts",
            IgnoreReason::InterpretedSort => "the values of its sort are fixed",
        })
    }
}

/// Returns true if a theory fixes what `name` means, so that a model cannot define it.
pub(crate) fn is_interpreted(arena: &Arena, name: Symbol) -> bool {
    arena.signature().is_operator(name)
        && !arena.signature().unspecified.functions().any(|open| open == arena.text(name))
}
