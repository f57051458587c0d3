//! The language: SMT-LIB scripts as typed values.
//!
//! [`Script::parse`] reads a [`Script`] from text against a [`Signature`], the table of the theories' sorts and operators. Its
//! terms are hash-consed and sorted; parts that this crate does not know are carried as text. Printing yields text that
//! parses back to the same script.
//!
//! # Reading and printing
//!
//! ```
//! use gainsay_smt::{Script, Signature};
//!
//! let signature = Signature::standard();
//! let script = Script::parse("(declare-const x Int) (assert (< 0 x 7)) (check-sat)", &signature)?;
//! assert_eq!(script.assertions().count(), 1);
//! assert_eq!(script.to_string(), "(declare-const x Int)\n(assert (< 0 x 7))\n(check-sat)\n");
//!
//! let error = Script::parse("(assert (bvadd #b01 #b1))", &signature).unwrap_err();
//! assert_eq!(error.to_string(), "1:21: argument 2 of bvadd is of sort (_ BitVec 1), expected (_ BitVec 2)");
//! # Ok::<(), gainsay_smt::Error>(())
//! ```
//!
//! # Editing
//!
//! [`Occurrences`] lists the places of all subterms; a place is replaced by a term of the same sort whose free variables are
//! in scope there.
//!
//! ```
//! use gainsay_smt::{Head, Occurrences, Script, Signature};
//!
//! let text = "(declare-const x Int)(declare-const y Int)(assert (< x y))";
//! let mut script = Script::parse(text, &Signature::standard())?;
//! let occurrences = Occurrences::of(&script, 100);
//! let y = occurrences.list()[2];
//! let arena = script.arena_mut();
//! let (plus, x) = (arena.symbol("+"), occurrences.list()[1].term);
//! let sum = arena.application(Head::plain(plus), &[x, y.term], y.sort);
//! occurrences.replace(&mut script, 2, sum);
//! assert!(script.to_string().ends_with("(assert (< x (+ x y)))\n"));
//! # Ok::<(), gainsay_smt::Error>(())
//! ```
//!
//! # Evaluating
//!
//! ```
//! use gainsay_smt::{Model, Script, Signature, eval, sat_queries};
//!
//! let script = Script::parse("(declare-const x Int)(assert (< x 3))(check-sat)", &Signature::standard())?;
//! let query = sat_queries(&script).remove(0);
//! let model = Model::read("((define-fun x () Int 7))", &script, &query)?;
//! let evaluation = eval::evaluate(&model, &query, eval::EvalBudget::default());
//! assert_eq!(evaluation.outcome(), eval::TruthValue::False);
//! # Ok::<(), gainsay_smt::Error>(())
//! ```
//!
//! # How it works
//!
//! From text to text: `decode.rs` decodes the bytes, the lexer makes tokens, and the parser builds commands and terms in one
//! pass with an explicit stack, giving each term its sort when its parenthesis closes; [`mod@print`] writes the script. A change
//! of one place (`edit.rs`) is made in the text as well as in the terms, and only the changed command is read again.
//!
//! Decisions that hold everywhere:
//!
//! * Terms are hash-consed, variables are named, `let` and spelling are kept, and a script is a value (`term.rs`, `script.rs`).
//! * Unknown parts are carried as opaque text: an unknown command, an unknown indexed operator, an unknown name in the name
//!   space of a theory (`str.…`, `fp.…`), unless it looks like a misspelling of a known name. Any other unknown name is an error.
//! * Solvers disagree about what is well-sorted. The checker accepts what z3 or cvc5 accepts, as far as the tables can
//!   express it, and rejects what both reject. The logic decides whether a numeral is an `Int` or a `Real`, and forbids nothing.
//! * Values ([`float`], [`mod@text`], [`regex`], [`value`]) are exact, and computed within bounds of time and memory.
//!
//! Nothing here does I/O, draws random numbers, reads a clock, keeps global state or recurses on the depth of its input.

#![forbid(unsafe_code)]

mod arena;
mod command;
mod command_table;
mod context;
mod decode;
mod edit;
mod equal;
mod error;
pub mod eval;
pub mod exhaust;
pub mod float;
mod heap;
pub mod horn;
pub mod import;
mod intern;
mod lex;
pub mod logic;
mod model;
mod occurrence;
pub mod operator_facts;
mod orders;
pub mod paren_tree;
mod parse;
pub mod print;
mod queries;
mod reachable;
mod rebuild;
mod recursion;
pub mod regex;
mod script;
pub mod sequence;
mod sexpr;
pub mod signature;
mod sort;
mod sort_check;
pub mod substitute;
pub mod suggest;
mod symbol;
mod term;
pub mod text;
mod theory_view;
pub mod value;
pub mod variables;

pub use arena::Arena;
pub use command::{Command, Constructor, DatatypeDeclaration, DatatypesForm, Definition, Word};
pub use command_table::{is_inert_command, is_quiet_command};
pub use decode::decode;
pub use edit::Edit;
pub use error::{Error, ErrorKind};
pub use model::{IgnoreReason, IgnoredDefinition, Model};
pub use occurrence::{Occurrence, Occurrences};
pub use parse::reread::CommandReader;
pub use print::Printer;
pub use queries::{RecursiveDefinitions, SatQuery, sat_queries};
pub use reachable::Reachable;
pub use rebuild::replace_children;
pub use script::{Script, ScriptPrefix};
pub use signature::Signature;
pub use sort::{Index, Sort, SortView};
pub use symbol::Symbol;
pub use term::{
    Attribute, AttributeValue, Binder, Head, Literal, MatchCase, MatchCases, Term, TermView, Variable,
};
pub use value::Value;
