//! Values as machine words: a Boolean, a bit-vector of at most 64 bits or an integer is its own word; any other value gets a
//! number, so that equal values are equal words.

use dashu_int::{IBig, UBig};
use rustc_hash::FxHashMap;

use crate::arena::Arena;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::value::{BitVec, Value};

/// Values that get a number, over all sorts.
const MAX_NUMBERED_VALUES: usize = 1 << 21;

/// How the values of a sort are written as words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    Bool,
    /// A bit-vector of at most 64 bits.
    Bits(u32),
    Int,
    /// The number of a value in [`Words`].
    Numbered,
    /// The number of a function, which only the evaluator can use: two functions with two numbers may be equal.
    Closure,
}

impl WordKind {
    pub fn of(arena: &Arena, sort: Sort) -> WordKind {
        let view = arena.view_sort(sort);
        match (view.head, view.indices) {
            (Symbol::BOOL, []) => WordKind::Bool,
            (Symbol::INT, []) => WordKind::Int,
            (Symbol::BITVEC, [width]) => match width.numeral() {
                Some(width @ 1..=64) => WordKind::Bits(width),
                _ => WordKind::Numbered,
            },
            _ => WordKind::Numbered,
        }
    }

    /// The width in bits, of a Boolean or a bit-vector.
    pub fn width(self) -> Option<u32> {
        match self {
            WordKind::Bool => Some(1),
            WordKind::Bits(width) => Some(width),
            WordKind::Int | WordKind::Numbered | WordKind::Closure => None,
        }
    }
}

/// The values that have numbers.
#[derive(Default)]
pub(super) struct Words {
    values: Vec<Value>,
    numbers: FxHashMap<Value, u64>,
}

impl Words {
    /// The word of a value; `None` if it has none: a large integer, a value without a canonical form, one too many.
    pub fn word(&mut self, kind: WordKind, value: &Value) -> Option<u64> {
        match (kind, value) {
            (WordKind::Bool, Value::Bool(value)) => Some(u64::from(*value)),
            (WordKind::Bits(_), Value::BitVec(bits)) => u64::try_from(bits.unsigned()).ok(),
            (WordKind::Int, Value::Int(number)) => i64::try_from(number).ok().map(|number| number as u64),
            (WordKind::Numbered, value) => self.number(value),
            (WordKind::Closure, Value::Function(_)) => self.add(value),
            _ => None,
        }
    }

    fn number(&mut self, value: &Value) -> Option<u64> {
        if let Some(&number) = self.numbers.get(value) {
            return Some(number);
        }
        // Regular expressions are ids of the evaluator, which compares them itself.
        let is_canonical = !value.is_opaque() || matches!(value, Value::RegLan(_));
        if !is_canonical || self.values.len() >= MAX_NUMBERED_VALUES {
            return None;
        }
        self.add(value)
    }

    fn add(&mut self, value: &Value) -> Option<u64> {
        let number = self.values.len() as u64;
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        Some(number)
    }

    /// The value of a word.
    pub fn value(&self, kind: WordKind, word: u64) -> Value {
        match kind {
            WordKind::Bool => Value::Bool(word != 0),
            WordKind::Bits(width) => Value::BitVec(BitVec::new(width, UBig::from(word))),
            WordKind::Int => Value::Int(IBig::from(word as i64)),
            WordKind::Numbered | WordKind::Closure => self.values[word as usize].clone(),
        }
    }
}
