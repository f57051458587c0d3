//! Values of terms under a model.
//!
//! Values are exact: integers and rationals of any size, bit-vectors of any width, arrays as a default with exceptions.
//! They have a canonical form, so that two values of one sort are equal exactly if they are equal as Rust
//! values; a value without such a form (a function, an algebraic number) is [opaque](Value::is_opaque),
//! and [`equal`](Value::equal) may not know.
//!
//! Values nest, and Rust drops, compares and prints them by recursion. So every value knows its
//! [`Weight`], and none is deeper than [`MAX_VALUE_DEPTH`] or larger than the budget.

pub(crate) mod algebraic;
mod array;
mod bits;
pub(crate) mod codata;
mod collection;
pub(crate) mod enclosure;
mod polynomial;
mod print;

use std::sync::Arc;

use dashu_int::IBig;
use dashu_ratio::RBig;

pub use algebraic::{Algebraic, Root};
pub use array::{Array, Indices};
pub use bits::BitVec;
pub use codata::{Codata, MAX_CODATA_NODES};
pub use collection::{Bag, FiniteSet};
pub use enclosure::{ENCLOSURE_BITS, Enclosure};
pub use polynomial::Polynomial;
pub use print::value_text;

use crate::float::{Float, RoundingMode};
use crate::regex::Regex;
use crate::symbol::Symbol;
use crate::term::{Term, Variable};
use crate::text::Text;

/// The maximal nesting of a value.
pub const MAX_VALUE_DEPTH: u32 = 500;

/// The value of a term.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A Boolean.
    Bool(bool),
    /// An integer.
    Int(IBig),
    /// A rational number, of sort `Real`.
    Real(RBig),
    /// An irrational root of a polynomial, of sort `Real`.
    Algebraic(Arc<Algebraic>),
    /// A number of sort `Real` that is known to lie between two rationals.
    Enclosure(Arc<Enclosure>),
    /// A bit-vector.
    BitVec(BitVec),
    /// A floating-point number.
    Float(Float),
    /// A rounding mode.
    RoundingMode(RoundingMode),
    /// A string.
    Text(Text),
    /// A character, of z3's sort `Unicode`.
    Character(u32),
    /// A regular expression, by its id in an evaluation.
    RegLan(Regex),
    /// An array.
    Array(Arc<Array>),
    /// A value of a datatype; with the empty symbol for its constructor, a tuple of indices.
    Datatype(Arc<DatatypeValue>),
    /// A value of a co-datatype.
    Codata(Arc<Codata>),
    /// An element of an uninterpreted sort, by its name in the model.
    Abstract(Symbol),
    /// A sequence.
    Sequence(Arc<Sequence>),
    /// A finite set.
    Set(Arc<FiniteSet>),
    /// A bag: a set whose elements occur any number of times.
    Bag(Arc<Bag>),
    /// An element of a prime field: the field's order, and the number below it.
    Field(u32, u32),
    /// A function.
    Function(Arc<FunctionValue>),
    /// An index different from all that it is compared with; see `eval/function_table.rs`.
    Elsewhere(u32),
}

/// The size of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Weight {
    /// Its nesting depth.
    pub depth: u32,
    /// Its approximate size in bytes, without sharing.
    pub bytes: u64,
    /// Whether a part of it has no canonical form.
    pub is_opaque: bool,
}

impl Weight {
    const LEAF: Weight = Weight { depth: 0, bytes: 24, is_opaque: false };

    fn of_all<'a>(values: impl Iterator<Item = &'a Value>) -> Weight {
        let mut weight = Weight::LEAF;
        for value in values {
            weight = weight.with_part(value.weight());
        }
        weight
    }

    fn with_part(self, part: Weight) -> Weight {
        Weight {
            depth: self.depth.max(part.depth.saturating_add(1)),
            bytes: self.bytes.saturating_add(part.bytes),
            is_opaque: self.is_opaque || part.is_opaque,
        }
    }
}

/// A constructor applied to values.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DatatypeValue {
    /// The constructor.
    pub constructor: Symbol,
    /// The values of its fields.
    pub fields: Vec<Value>,
    weight: Weight,
}

/// A sequence of values.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sequence {
    /// Its elements.
    pub elements: Vec<Value>,
    weight: Weight,
}

/// A function, possibly partially applied.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionValue {
    /// Its code.
    pub code: FunctionCode,
    /// The values of the variables that are free in its body.
    pub captured: Vec<(Variable, Value)>,
    /// The arguments given so far.
    pub arguments: Vec<Value>,
    weight: Weight,
}

/// The code of a function.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FunctionCode {
    /// The body of a lambda, a term of the model's arena.
    Lambda(Vec<Variable>, Term),
    /// A function of the script or the model, by its id in an evaluation.
    Named(u32),
}

impl Value {
    /// An integer.
    pub fn int(number: impl Into<IBig>) -> Value {
        Value::Int(number.into())
    }

    /// A constructor applied to values.
    pub fn datatype(constructor: Symbol, fields: Vec<Value>) -> Value {
        let weight = Weight::of_all(fields.iter());
        Value::Datatype(Arc::new(DatatypeValue { constructor, fields, weight }))
    }

    /// A sequence.
    pub fn sequence(elements: Vec<Value>) -> Value {
        let weight = Weight::of_all(elements.iter());
        Value::Sequence(Arc::new(Sequence { elements, weight }))
    }

    /// A function.
    pub fn function(code: FunctionCode, captured: Vec<(Variable, Value)>, arguments: Vec<Value>) -> Value {
        let held = captured.iter().map(|(_, value)| value).chain(&arguments);
        let weight = Weight { is_opaque: true, ..Weight::of_all(held) };
        Value::Function(Arc::new(FunctionValue { code, captured, arguments, weight }))
    }

    /// Several indices of one array as one value; a single index is itself.
    pub fn index(mut indices: Vec<Value>) -> Value {
        match indices.len() {
            1 => indices.remove(0),
            _ => Value::datatype(Symbol::EMPTY, indices),
        }
    }

    /// The Boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The size of the value.
    pub fn weight(&self) -> Weight {
        let leaf = |bytes: usize| Weight { bytes: 24 + bytes as u64, ..Weight::LEAF };
        match self {
            Value::Bool(_)
            | Value::Abstract(_)
            | Value::RoundingMode(_)
            | Value::Character(_)
            | Value::Field(..) => Weight::LEAF,
            Value::Float(float) => leaf(float.format().width() as usize / 4),
            Value::Text(text) => leaf(text.len() * 4),
            Value::Int(number) => leaf(int_bytes(number)),
            Value::Real(number) => {
                leaf(int_bytes(number.numerator()) + number.denominator().as_words().len() * 8)
            }
            Value::Algebraic(_) | Value::Enclosure(_) | Value::Elsewhere(_) | Value::RegLan(_) => {
                Weight { is_opaque: true, ..Weight::LEAF }
            }
            Value::BitVec(bits) => leaf(bits.width() as usize / 8),
            Value::Array(array) => array.weight(),
            Value::Datatype(construct) => construct.weight,
            Value::Codata(tree) => tree.weight(),
            Value::Sequence(sequence) => sequence.weight,
            Value::Set(set) => set.weight(),
            Value::Bag(bag) => bag.weight(),
            Value::Function(function) => function.weight,
        }
    }

    /// Returns true if a part of it has no canonical form.
    pub fn is_opaque(&self) -> bool {
        self.weight().is_opaque
    }

    /// Whether two values of one sort are equal; `None` if that is unknown.
    pub fn equal(&self, other: &Value) -> Option<bool> {
        match (self, other) {
            (Value::Int(a), Value::Real(b)) | (Value::Real(b), Value::Int(a)) => {
                Some(RBig::from(a.clone()) == *b)
            }
            // Two numbers with the same bounds may differ, so only a difference is ever known.
            (Value::Enclosure(_), _) | (_, Value::Enclosure(_)) => {
                enclosure::compare(self, other).map(std::cmp::Ordering::is_eq)
            }
            (Value::Algebraic(_), _) | (_, Value::Algebraic(_)) => {
                algebraic::compare(self, other).map(std::cmp::Ordering::is_eq)
            }
            (Value::Datatype(a), Value::Datatype(b)) if a.constructor != b.constructor => Some(false),
            // Values of different kinds do not have one sort; do not conclude anything from them.
            _ if std::mem::discriminant(self) != std::mem::discriminant(other) => None,
            _ if !self.is_opaque() && !other.is_opaque() => Some(self == other),
            (Value::Datatype(a), Value::Datatype(b)) => all_equal(&a.fields, &b.fields),
            (Value::Sequence(a), Value::Sequence(b)) if a.elements.len() != b.elements.len() => Some(false),
            (Value::Sequence(a), Value::Sequence(b)) => all_equal(&a.elements, &b.elements),
            (Value::Array(a), Value::Array(b)) => a.equal(b),
            // Of a tree with parts that cannot be compared, only the constructor is.
            (Value::Codata(_), _) => (self.constructor() != other.constructor()).then_some(false),
            _ if self == other => Some(true),
            _ => None,
        }
    }
}

/// Whether all pairs are equal: false as soon as one pair differs.
fn all_equal(a: &[Value], b: &[Value]) -> Option<bool> {
    let mut all = Some(true);
    for (a, b) in a.iter().zip(b) {
        match a.equal(b) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

fn int_bytes(number: &IBig) -> usize {
    number.as_sign_words().1.len() * 8
}
