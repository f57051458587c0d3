//! The order of numbers, in which the zeros are equal and NaN is unordered; minimum and maximum.

use std::cmp::Ordering;

use super::{Dyadic, Float, FloatKind, Sign};

impl Float {
    /// The order of two numbers; `None` if one of them is NaN.
    pub fn compare(&self, other: &Float) -> Option<Ordering> {
        let (a, b) = (self.rank()?, other.rank()?);
        Some(a.cmp(&b).then_with(|| match (&self.kind, &other.kind) {
            (FloatKind::Finite(a), FloatKind::Finite(b)) if a.sign == Sign::Positive => magnitudes(a, b),
            (FloatKind::Finite(a), FloatKind::Finite(b)) => magnitudes(b, a),
            _ => Ordering::Equal,
        }))
    }

    /// `fp.leq`
    pub fn leq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_le)
    }

    /// `fp.lt`
    pub fn lt(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_lt)
    }

    /// `fp.geq`
    pub fn geq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_ge)
    }

    /// `fp.gt`
    pub fn gt(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_gt)
    }

    /// `fp.eq`, the equality of numbers.
    pub fn equals(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_eq)
    }

    /// `fp.min`; `None` (open) for zeros of different signs.
    pub fn min(&self, other: &Float) -> Option<Float> {
        self.choose(other, Ordering::Less)
    }

    /// `fp.max`; `None` (open) for zeros of different signs.
    pub fn max(&self, other: &Float) -> Option<Float> {
        self.choose(other, Ordering::Greater)
    }

    fn choose(&self, other: &Float, wanted: Ordering) -> Option<Float> {
        match self.compare(other) {
            None if self.is_nan() => Some(other.clone()),
            None => Some(self.clone()),
            Some(Ordering::Equal) => (self == other).then(|| self.clone()),
            Some(order) => Some(if order == wanted { self.clone() } else { other.clone() }),
        }
    }

    /// The position of the number's class among the classes: -2 for minus infinity up to 2.
    fn rank(&self) -> Option<i8> {
        match &self.kind {
            FloatKind::NaN => None,
            FloatKind::Infinite(Sign::Negative) => Some(-2),
            FloatKind::Zero(_) => Some(0),
            FloatKind::Finite(number) => Some(if number.sign == Sign::Negative { -1 } else { 1 }),
            FloatKind::Infinite(Sign::Positive) => Some(2),
        }
    }
}

/// The order of the magnitudes of two numbers of one format: the digits decide if the exponents are equal.
fn magnitudes(a: &Dyadic, b: &Dyadic) -> Ordering {
    a.exponent.cmp(&b.exponent).then_with(|| a.significand.cmp(&b.significand))
}
