//! The evaluator: what a term is worth under a model, exactly, or why that is not known.
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
//! The machine (`evaluator.rs`) walks the graph of terms with a stack of its own and remembers what it has worked out.
//! The operators are tables, one a theory, from names to functions on values. What the standard leaves
//! open (division by zero and the like, `unspecified.rs`) is what the model says it is; where it says nothing, the value
//! is undecided, and so is all that depends on it. `(and false t)` does not depend on `t`.
//!
//! Nothing is concluded from what a model does not say: a function that it leaves out gets a default value, but an assertion
//! that is false only because of such a default is undecided. Steps and bytes are counted against a [`Budget`].

mod arithmetic;
mod arrays;
mod binders;
mod bit_vectors;
mod core;
mod datatypes;
mod evaluator;
mod explain;
mod finite_domains;
mod floating_point;
mod function_calls;
mod function_table;
mod operators;
mod sequences;
mod strings;
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
pub use explain::{Explanation, explain};
pub use unspecified::is_open;

/// Why the value of a term is not known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Undecided {
    /// The standard leaves the value open and the model does not say it.
    Unspecified(Arc<str>),
    /// An operator, or a piece of text, that the evaluator does not know.
    Unknown(Arc<str>),
    /// It would take infinitely many values to know.
    Infinite(Arc<str>),
    /// The budget is spent, or the value would be too large.
    TooLarge(Arc<str>),
    /// The model says something that cannot be used.
    Model(Arc<str>),
}

impl Undecided {
    /// The kind of reason in one word, for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Undecided::Unspecified(_) => "unspecified",
            Undecided::Unknown(_) => "unknown",
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
        }
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}

/// A value, or why there is none.
pub type EvalResult = Result<Value, Undecided>;

/// How much an evaluation may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvalBudget {
    /// How many steps it may take: visits of terms, and more for values that are large.
    pub steps: u64,
    /// How many bytes all values together may have, and a tenth of it each.
    pub bytes: u64,
}

impl Default for EvalBudget {
    fn default() -> EvalBudget {
        EvalBudget { steps: 10_000_000, bytes: 256 << 20 }
    }
}

/// What an assertion is under a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TruthValue {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Neither is known.
    Undecided(Undecided),
}

impl TruthValue {
    /// The outcome in one word.
    pub fn word(&self) -> &'static str {
        match self {
            TruthValue::True => "true",
            TruthValue::False => "false",
            TruthValue::Undecided(_) => "undecided",
        }
    }
}

/// What the assertions of one check are under a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evaluation {
    /// The assertions in force, in order.
    pub assertions: Vec<TruthValue>,
    /// The assumptions of the check, in order.
    pub assumptions: Vec<TruthValue>,
    /// The functions of which the model says nothing and that were needed: they got default values.
    pub completed: Vec<Symbol>,
    /// How many steps it took.
    pub steps: u64,
}

impl Evaluation {
    /// Whether all hold, one does not, or neither is known.
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

/// Evaluates the assertions and assumptions of a check under a model that was read for it.
///
/// An assertion that is false only with the default values of functions that the model leaves out is undecided: perhaps
/// it would hold with others.
pub fn evaluate(model: &Model, check: &SatQuery, budget: EvalBudget) -> Evaluation {
    let mut evaluator = Evaluator::new(model, budget);
    let mut outcomes = |terms: &[Term]| -> Vec<TruthValue> {
        let outcome = |&term: &Term| match evaluator.outcome(term) {
            TruthValue::False => lonely_false(model, term, budget),
            outcome => outcome,
        };
        terms.iter().map(outcome).collect()
    };
    let (assertions, assumptions) = (outcomes(&check.assertions), outcomes(&check.assumptions));
    Evaluation { assertions, assumptions, completed: evaluator.completed(), steps: evaluator.steps() }
}

/// What a false assertion is by itself: false, unless it needed a default value.
fn lonely_false(model: &Model, term: Term, budget: EvalBudget) -> TruthValue {
    let mut alone = Evaluator::new(model, budget);
    match (alone.outcome(term), alone.completed().first()) {
        (TruthValue::False, Some(&name)) => {
            let shown = crate::print::symbol_text(model.arena(), name);
            TruthValue::Undecided(Undecided::Model(
                format!("{shown}, of which the model says nothing").into(),
            ))
        }
        (outcome, _) => outcome,
    }
}

/// How an operator is used: what it may look at beside its arguments.
pub(crate) struct OperatorCall<'a> {
    pub arena: &'a Arena,
    /// The operator's name.
    pub name: Symbol,
    pub indices: &'a [Index],
    /// The sort of the whole application.
    pub sort: Sort,
    /// The most bytes that the result may have.
    pub bytes: u64,
    /// The regular expressions of the evaluation.
    pub regexes: &'a mut Regexes,
}

impl OperatorCall<'_> {
    /// The index number `place`, which the checker made a number.
    fn index(&self, place: usize) -> u32 {
        self.indices.get(place).and_then(|index| index.numeral()).unwrap_or_default()
    }

    /// The width of the sort, if it is one of bit-vectors.
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

    /// How many elements a sequence may have.
    fn longest(&self) -> usize {
        usize::try_from(self.bytes / 4).unwrap_or(usize::MAX)
    }

    /// What to answer for arguments that no well-sorted script has.
    fn unexpected(&self) -> Undecided {
        Undecided::Unknown(format!("{} of these arguments", self.arena.text(self.name)).into())
    }
}

/// A function of a theory on values; one of two arguments that associates is given two at a time.
pub(crate) type Operator = fn(&mut OperatorCall<'_>, &[Value]) -> EvalResult;

/// The operators of all theories.
pub(crate) const ALL_OPERATORS: &[&[(&str, Operator)]] = &[
    core::CORE_OPERATORS,
    arithmetic::ARITHMETIC_OPERATORS,
    bit_vectors::BIT_VECTOR_OPERATORS,
    arrays::ARRAY_OPERATORS,
    floating_point::FLOATING_POINT_OPERATORS,
    sequences::SEQUENCE_OPERATORS,
    strings::STRING_OPERATORS,
];
