//! The evaluator: computes the exact value of a term under a model, or reports why it is unknown.
//!
//! ```
//! use gainsay_smt::{Model, Script, Signature, sat_queries, eval};
//!
//! let script = Script::parse("(declare-const x Int)(assert (< 3 x))(check-sat)", &Signature::standard())?;
//! let query = sat_queries(&script).remove(0);
//! let model = Model::read("((define-fun x () Int 2))", &script, &query)?;
//! let evaluation = eval::evaluate(&model, &query, eval::EvalBudget::default());
//! assert_eq!(evaluation.assertions, [eval::TruthValue::False]);
//! # Ok::<(), gainsay_smt::Error>(())
//! ```
//!
//! The evaluator (`evaluator.rs`) walks the graph of terms with an explicit stack and memoizes values. The operators are
//! tables, one per theory, from names to functions on values. Results that the standard leaves open (division by zero and the
//! like, `unspecified.rs`) are what the model defines them to be; where it does not define them, the value is undecided, and so
//! is every value that depends on it. `(and false t)` does not depend on `t`.
//!
//! The evaluator concludes nothing from what a model omits: a function without a definition has no value. Default values may
//! make an assertion true, but not false. Steps and bytes are counted against an [`EvalBudget`].

mod apply;
mod arithmetic;
mod arrays;
mod binders;
mod bit_vectors;
mod codatatypes;
mod collections;
mod core;
mod datatypes;
mod evaluator;
mod explain;
mod finite_domains;
mod finite_fields;
mod floating_point;
mod function_calls;
mod function_loops;
mod function_table;
mod operators;
mod quantifiers;
mod sample_points;
mod separation;
mod sequences;
mod strings;
mod transcendental;
mod tuples;
pub(crate) mod unspecified;

use std::fmt;
use std::sync::Arc;

use crate::arena::Arena;
use crate::model::Model;
use crate::queries::SatQuery;
use crate::regex::Regexes;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::Term;
use crate::value::Value;

pub use evaluator::Evaluator;
pub(crate) use evaluator::variable_masks;
pub use explain::{Explanation, explain};
pub(crate) use finite_domains::subsets;
pub(crate) use function_loops::{MAX_CLOSED_VALUES, MAX_TABLE_POINTS};

/// Why the value of a term is undecided.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Undecided {
    /// The standard leaves the value open and the model does not define it.
    Unspecified(Arc<str>),
    /// An operator, or a piece of text, that the evaluator does not know.
    Unknown(Arc<str>),
    /// The value depends on infinitely many values.
    Infinite(Arc<str>),
    /// The budget is exhausted, or the value would be too large.
    TooLarge(Arc<str>),
    /// The model's definition cannot be used.
    Model(Arc<str>),
    /// The solver may choose one of these values, and no other.
    OneOf(Arc<[Value]>),
}

impl Undecided {
    /// The kind of reason in one word, for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Undecided::Unspecified(_) => "unspecified",
            Undecided::Unknown(_) | Undecided::OneOf(_) => "unknown",
            Undecided::Infinite(_) => "infinite",
            Undecided::TooLarge(_) => "large",
            Undecided::Model(_) => "model",
        }
    }

    fn reason(&self) -> &str {
        match self {
            Undecided::Unspecified(text)
            | Undecided::Unknown(text)
            | Undecided::Infinite(text)
            | Undecided::TooLarge(text)
            | Undecided::Model(text) => text,
            Undecided::OneOf(_) => "the solver may choose one of several elements",
        }
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}

/// A value, or why it is undecided.
pub type EvalResult = Result<Value, Undecided>;

/// The limits of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvalBudget {
    /// The number of steps: one per visit of a term, more for large values.
    pub steps: u64,
    /// The size of all values together; a single value may have a tenth of it.
    pub bytes: u64,
}

impl Default for EvalBudget {
    fn default() -> EvalBudget {
        EvalBudget { steps: 10_000_000, bytes: 256 << 20 }
    }
}

/// The truth value of an assertion under a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TruthValue {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// It is not known whether it holds.
    Undecided(Undecided),
}

impl TruthValue {
    /// The truth value in one word.
    pub fn word(&self) -> &'static str {
        match self {
            TruthValue::True => "true",
            TruthValue::False => "false",
            TruthValue::Undecided(_) => "undecided",
        }
    }
}

/// The truth values of the assertions of one query under a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evaluation {
    /// The assertions in force, in order.
    pub assertions: Vec<TruthValue>,
    /// The assumptions of the query, in order.
    pub assumptions: Vec<TruthValue>,
    /// The functions that the model does not define and that got default values.
    pub completed: Vec<Symbol>,
    /// The number of steps taken.
    pub steps: u64,
}

impl Evaluation {
    /// True if all hold, false if one does not, undecided otherwise.
    pub fn outcome(&self) -> TruthValue {
        let mut all = TruthValue::True;
        for outcome in self.assertions.iter().chain(&self.assumptions) {
            match (outcome, &all) {
                (TruthValue::False, _) => return TruthValue::False,
                (TruthValue::Undecided(_), TruthValue::True) => all = outcome.clone(),
                _ => {}
            }
        }
        all
    }
}

/// Evaluates the assertions and assumptions of a query under a model that was read for it.
///
/// A function that the model omits has no value at first. Only an assertion that is undecided for that reason is evaluated with
/// default values: it may be true by them, but one that is false only because of them might hold with other values, and is
/// undecided. The budget is for all assertions together.
pub fn evaluate(model: &Model, check: &SatQuery, budget: EvalBudget) -> Evaluation {
    let mut exact = Evaluator::without_defaults(model, budget);
    let mut completing: Option<Evaluator<'_>> = None;
    let mut outcomes = |terms: &[Term]| -> Vec<TruthValue> {
        let outcome = |&term: &Term| match exact.outcome(term) {
            TruthValue::Undecided(reason) if exact.has_omissions() => {
                let completing = completing.get_or_insert_with(|| Evaluator::new(model, budget));
                completing.continue_from(&exact);
                let outcome = completing.outcome(term);
                exact.continue_from(completing);
                if outcome == TruthValue::False { TruthValue::Undecided(reason) } else { outcome }
            }
            outcome => outcome,
        };
        terms.iter().map(outcome).collect()
    };
    let (assertions, assumptions) = (outcomes(&check.assertions), outcomes(&check.assumptions));
    let completed = completing.map_or_else(Vec::new, |evaluator| evaluator.completed());
    Evaluation { assertions, assumptions, completed, steps: exact.steps() }
}

/// An application of an operator: what its function may use besides the arguments.
pub(crate) struct OperatorCall<'a> {
    pub arena: &'a Arena,
    /// The operator's name.
    pub name: Symbol,
    pub indices: &'a [Index],
    /// The sort of the whole application.
    pub sort: Sort,
    /// The maximal size of the result in bytes.
    pub bytes: u64,
    /// The arena of regular expressions of the evaluation.
    pub regexes: &'a mut Regexes,
}

impl OperatorCall<'_> {
    /// Index number `place`, which the sort checker has made a numeral.
    fn index(&self, place: usize) -> u32 {
        self.indices.get(place).and_then(|index| index.numeral()).unwrap_or_default()
    }

    /// The width, if the sort is a bit-vector sort.
    fn width(&self) -> Option<u32> {
        let view = self.arena.view_sort(self.sort);
        (view.head == Symbol::BITVEC).then(|| view.indices.first()?.numeral())?
    }

    fn unspecified(&self, what: &str) -> Undecided {
        Undecided::Unspecified(format!("{} {what}", self.arena.text(self.name)).into())
    }

    fn too_large(&self) -> Undecided {
        Undecided::TooLarge(format!("the result of {} is too large", self.arena.text(self.name)).into())
    }

    /// The maximal number of elements of a sequence.
    fn longest(&self) -> usize {
        usize::try_from(self.bytes / 4).unwrap_or(usize::MAX)
    }

    /// The result for arguments that no well-sorted script has.
    fn unexpected(&self) -> Undecided {
        Undecided::Unknown(format!("{} of these arguments", self.arena.text(self.name)).into())
    }
}

/// The function of an operator on values; an associative operator gets two arguments at a time.
pub(crate) type Operator = fn(&mut OperatorCall<'_>, &[Value]) -> EvalResult;

/// Operators that the evaluator computes itself, without a row in a table: they do not need all of their arguments, or they need
/// the model.
const BUILT_IN_OPERATORS: &[&str] =
    &["and", "or", "=>", "ite", "=", "distinct", "select", "map", "as-array", "transitive-closure"];

/// Returns true if the evaluator computes values of an operator, of at least some arguments.
pub fn is_evaluated(signature: &crate::Signature, operator: &str) -> bool {
    let has_row = |name: &str| {
        BUILT_IN_OPERATORS.contains(&name)
            || function_loops::LOOP_OPERATORS.contains(&name)
            || separation::HEAP_OPERATORS.contains(&name)
            || ALL_OPERATORS.iter().copied().flatten().any(|(row, _)| *row == name)
    };
    let mut synonyms =
        signature.synonyms().map(|(other, name)| (signature.text(other), signature.text(name)));
    has_row(operator) || synonyms.any(|(other, name)| other == operator && has_row(name))
}

/// The operators of all theories.
pub(crate) const ALL_OPERATORS: &[&[(&str, Operator)]] = &[
    core::CORE_OPERATORS,
    arithmetic::ARITHMETIC_OPERATORS,
    transcendental::TRANSCENDENTAL_OPERATORS,
    bit_vectors::BIT_VECTOR_OPERATORS,
    arrays::ARRAY_OPERATORS,
    floating_point::FLOATING_POINT_OPERATORS,
    sequences::SEQUENCE_OPERATORS,
    strings::STRING_OPERATORS,
    collections::SET_OPERATORS,
    collections::BAG_OPERATORS,
    finite_fields::FIELD_OPERATORS,
    tuples::TUPLE_OPERATORS,
];
