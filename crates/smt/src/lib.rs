//! The language: SMT-LIB scripts as typed values.
//!
//! A [`Script`] is read from text ([`Script::parse`]) against a [`Signature`], the table of what may be
//! applied to what. Its terms are hash-consed and sorted; what a script has that this crate does not know
//! is carried as text. Printing gives text that parses back to the same script.
//!
//! ```
//! use gainsay_smt::{Script, Signature};
//!
//! let signature = Signature::standard();
//! let script = Script::parse("(declare-const x Int) (assert (< 0 x 7)) (check-sat)", &signature)?;
//! assert_eq!(script.assertions().count(), 1);
//!
//! let error = Script::parse("(assert (bvadd #b01 #b1))", &signature).unwrap_err();
//! assert_eq!(error.to_string(), "1:21: argument 2 of bvadd is of sort (_ BitVec 1), expected (_ BitVec 2)");
//! # Ok::<(), gainsay_smt::Error>(())
//! ```
//!
//! Nothing here does I/O, draws random numbers, reads a clock or keeps global state, and nothing recurses
//! on the depth of its input.

#![forbid(unsafe_code)]

mod arena;
mod check;
mod checks;
mod command;
mod context;
mod edit;
mod equal;
mod error;
pub mod eval;
pub mod float;
pub mod horn;
pub mod import;
mod intern;
mod lex;
pub mod logic;
mod model;
mod occurrence;
pub mod operator_facts;
mod parse;
pub mod print;
mod reachable;
pub mod regex;
mod script;
pub mod sequence;
mod sexpr;
pub mod signature;
mod sort;
mod source;
pub mod substitute;
pub mod suggest;
mod symbol;
mod term;
pub mod text;
pub mod value;
pub mod variables;
mod visit;

pub use arena::Arena;
pub use checks::{Check, checks};
pub use command::{Command, Constructor, DatatypeDeclaration, DatatypesForm, Definition, Word};
pub use edit::Edit;
pub use error::{Error, ErrorKind};
pub use model::{IgnoreReason, IgnoredDefinition, Model};
pub use occurrence::{Occurrence, Occurrences};
pub use parse::again::Reader;
pub use print::Printer;
pub use reachable::Reachable;
pub use script::Script;
pub use signature::Signature;
pub use sort::{Index, Sort, SortView};
pub use source::decode;
pub use symbol::Symbol;
pub use term::{Attribute, AttributeValue, Binder, Case, Cases, Head, Literal, Term, Variable, View};
pub use value::Value;
pub use visit::replace_children;
