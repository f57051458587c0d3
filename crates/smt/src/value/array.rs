//! Arrays: a default value, and exceptions at some indices.
//!
//! The form is canonical. No exception has the default value; if there are so few indices that another value could be the
//! default as well, the most frequent value is the default, and the smallest of several such.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Value, Weight};
use crate::symbol::Symbol;

/// The indices of an array.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Indices {
    /// A list of all indices.
    Few(Arc<[Value]>),
    /// Too many to list.
    Many(u64),
    /// Infinitely many.
    Infinite,
    /// Of a sort whose elements are not all known.
    Unknown,
}

/// An array: a default with exceptions.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Array {
    default: Value,
    stores: BTreeMap<Value, Value>,
    indices: Indices,
    weight: Weight,
}

impl Array {
    /// The array that holds one value everywhere, with these indices.
    pub fn constant(default: Value, indices: Indices) -> Array {
        let mut weight = Weight::of_all([&default].into_iter());
        weight.is_opaque |= indices == Indices::Unknown;
        Array { default, stores: BTreeMap::new(), indices, weight }
    }

    /// The array with other values at some indices; later stores win.
    pub fn with(&self, stores: impl IntoIterator<Item = (Value, Value)>) -> Array {
        let mut array = self.clone();
        for (index, value) in stores {
            match value == array.default {
                true => array.stores.remove(&index),
                false => array.stores.insert(index, value),
            };
        }
        array.make_canonical();
        let held = array.stores.iter().flat_map(|(index, value)| [index, value]);
        array.weight = Weight::of_all([&array.default].into_iter().chain(held));
        array.weight.is_opaque |= array.is_ambiguous();
        array
    }

    /// The value at an index.
    pub fn get(&self, index: &Value) -> &Value {
        self.stores.get(index).unwrap_or(&self.default)
    }

    /// The value at all other indices.
    pub fn default(&self) -> &Value {
        &self.default
    }

    /// The exceptions, sorted by index.
    pub fn stores(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.stores.iter()
    }

    /// Its indices.
    pub fn indices(&self) -> &Indices {
        &self.indices
    }

    /// Returns true if all its indices are known, and none is a tuple of several indices.
    pub(crate) fn has_single_indices(&self) -> bool {
        let is_tuple =
            |index: &Value| matches!(index, Value::Datatype(made) if made.constructor == Symbol::EMPTY);
        matches!(&self.indices, Indices::Few(all) if !all.iter().any(is_tuple))
    }

    pub(super) fn weight(&self) -> Weight {
        self.weight
    }

    /// The array as a value.
    pub fn into_value(self) -> Value {
        Value::Array(Arc::new(self))
    }

    /// Makes the most frequent value the default if there are few indices.
    fn make_canonical(&mut self) {
        let Indices::Few(all) = &self.indices else { return };
        if self.stores.len() * 2 < all.len() {
            return;
        }
        let mut counts: BTreeMap<&Value, usize> = BTreeMap::new();
        for index in all.iter() {
            *counts.entry(self.stores.get(index).unwrap_or(&self.default)).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or_default();
        let Some((&best, _)) = counts.iter().find(|(_, count)| **count == most) else { return };
        let best = best.clone();
        let value_at = |index: &Value| self.stores.get(index).unwrap_or(&self.default).clone();
        let stores = all.iter().map(|index| (index.clone(), value_at(index)));
        self.stores = stores.filter(|(_, value)| *value != best).collect();
        self.default = best;
    }

    /// Whether two arrays are equal; `None` if they differ at no known index, but another default is possible.
    pub(super) fn equal(&self, other: &Array) -> Option<bool> {
        let mut seen = self.stores.keys().chain(other.stores.keys());
        if seen.any(|index| self.get(index).equal(other.get(index)) == Some(false)) {
            return Some(false);
        }
        if self.stores.is_empty() && other.stores.is_empty() {
            return self.default.equal(&other.default);
        }
        (self == other).then_some(true)
    }

    /// Returns true if another default is possible because the indices are not known.
    fn is_ambiguous(&self) -> bool {
        match self.indices {
            Indices::Many(count) => self.stores.len() as u64 >= count / 2,
            Indices::Unknown => true,
            Indices::Few(_) | Indices::Infinite => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Indices {
        Indices::Few([Value::Bool(false), Value::Bool(true)].into())
    }

    #[test]
    fn an_array_has_one_form() {
        let all = |value: i32| Array::constant(Value::int(value), two());
        let at = |index: bool, value: i32| (Value::Bool(index), Value::int(value));
        assert_eq!(all(1).with([at(true, 2)]), all(2).with([at(false, 1)]));
        assert_eq!(all(1).with([at(true, 2), at(false, 2)]), all(2));
        assert_ne!(all(1).with([at(true, 2)]), all(1).with([at(false, 2)]));
        assert_eq!(all(1).with([at(true, 2), at(true, 1)]), all(1));
    }
}
