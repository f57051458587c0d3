//! Values as machine words: a Boolean, a bit-vector of at most 64 bits or an integer is its own word; any other value gets a
//! number, so that equal values are equal words.

use dashu_int::{IBig, UBig};
use rustc_hash::FxHashMap;

use super::memory::MemoryAccount;
use crate::arena::Arena;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::value::{BitVec, Value};

/// Values that get a number, over all sorts.
const MAX_NUMBERED_VALUES: usize = 1 << 21;

/// The bytes of a value that has a number, beside its weight: its places in both tables.
const BYTES_PER_VALUE: usize = 192;

/// The memory that a large value takes, as a multiple of its weight, measured.
const MEMORY_BY_WEIGHT: usize = 3;

/// How the values of a sort are written as words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    Bool,
    /// A bit-vector of at most 64 bits.
    Bits(u32),
    Int,
    /// The number of a value in [`Words`].
    Numbered,
    /// The number of a function or a regular expression, which only the evaluator can use: two numbers may stand for equal
    /// values.
    Opaque,
}

impl WordKind {
    pub fn of(arena: &Arena, sort: Sort) -> WordKind {
        let view = arena.view_sort(sort);
        match (view.head, view.indices) {
            (Symbol::BOOL, []) => WordKind::Bool,
            (Symbol::INT, []) => WordKind::Int,
            (Symbol::REGLAN, []) => WordKind::Opaque,
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
            WordKind::Int | WordKind::Numbered | WordKind::Opaque => None,
        }
    }
}

/// The values that have numbers.
pub(super) struct Words {
    values: Vec<Value>,
    numbers: FxHashMap<Value, u64>,
    /// The memory of the decision, most of which values take.
    pub memory: MemoryAccount,
}

impl Words {
    pub fn new(memory: MemoryAccount) -> Words {
        Words { values: Vec::new(), numbers: FxHashMap::default(), memory }
    }

    /// The word of a value; `None` if it has none: a large integer, a value without a canonical form, one too many.
    pub fn word(&mut self, kind: WordKind, value: &Value) -> Option<u64> {
        match (kind, value) {
            (WordKind::Bool, Value::Bool(value)) => Some(u64::from(*value)),
            (WordKind::Bits(_), Value::BitVec(bits)) => u64::try_from(bits.unsigned()).ok(),
            (WordKind::Int, Value::Int(number)) => i64::try_from(number).ok().map(|number| number as u64),
            (WordKind::Numbered, value) if !value.is_opaque() => self.number(value),
            (WordKind::Opaque, Value::Function(_) | Value::RegLan(_)) => self.number(value),
            _ => None,
        }
    }

    fn number(&mut self, value: &Value) -> Option<u64> {
        if let Some(&number) = self.numbers.get(value) {
            return Some(number);
        }
        if self.values.len() >= MAX_NUMBERED_VALUES || self.memory.is_spent() {
            return None;
        }
        self.memory.charge(BYTES_PER_VALUE + MEMORY_BY_WEIGHT * value.weight().bytes as usize);
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
            WordKind::Numbered | WordKind::Opaque => self.values[word as usize].clone(),
        }
    }
}
