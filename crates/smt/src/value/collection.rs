//! Finite sets and bags. Their elements have canonical forms, so that a set has one form as well.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dashu_int::IBig;

use super::{Value, Weight};

/// A finite set of values.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FiniteSet {
    elements: BTreeSet<Value>,
    weight: Weight,
}

impl FiniteSet {
    /// The elements, in order.
    pub fn elements(&self) -> &BTreeSet<Value> {
        &self.elements
    }

    pub(super) fn weight(&self) -> Weight {
        self.weight
    }
}

/// A bag of values, each with the number of its occurrences, which is positive.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bag {
    counts: BTreeMap<Value, IBig>,
    weight: Weight,
}

impl Bag {
    /// The elements with their numbers of occurrences, in order.
    pub fn counts(&self) -> &BTreeMap<Value, IBig> {
        &self.counts
    }

    /// The number of occurrences of a value.
    pub fn count(&self, value: &Value) -> IBig {
        self.counts.get(value).cloned().unwrap_or_default()
    }

    pub(super) fn weight(&self) -> Weight {
        self.weight
    }
}

impl Value {
    /// A set; `None` if an element has no canonical form, since elements could then be counted twice.
    pub fn set(elements: BTreeSet<Value>) -> Option<Value> {
        let weight = Weight::of_all(elements.iter());
        (!weight.is_opaque).then(|| Value::Set(Arc::new(FiniteSet { elements, weight })))
    }

    /// A bag, of which elements that do not occur are dropped; `None` if an element has no canonical form.
    pub fn bag(mut counts: BTreeMap<Value, IBig>) -> Option<Value> {
        counts.retain(|_, count| *count > IBig::ZERO);
        let weight = Weight::of_all(counts.keys());
        (!weight.is_opaque).then(|| Value::Bag(Arc::new(Bag { counts, weight })))
    }
}
