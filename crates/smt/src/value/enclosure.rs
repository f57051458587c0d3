//! Enclosures: two rationals with a real number between them, for numbers such as `(exp 1.0)` that have no finite form.
//!
//! Every operation rounds the lower bound down and the upper bound up, to multiples of a small power of two, so the number stays between
//! them. Two numbers are compared if their enclosures do not meet; otherwise nothing is known, not even if the bounds are the same.

use std::cmp::Ordering;
use std::sync::Arc;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::Value;

/// Bounds are multiples of two to the power of minus this.
pub const ENCLOSURE_BITS: usize = 192;
/// The largest magnitude of a bound, in bits.
const MAX_MAGNITUDE_BITS: usize = 512;

/// A real number between two rationals, both included.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Enclosure {
    low: RBig,
    high: RBig,
}

impl Enclosure {
    /// The number between two rationals, the first of which is not greater.
    pub fn new(low: &RBig, high: &RBig) -> Enclosure {
        debug_assert!(low <= high, "the bounds are in order");
        Enclosure { low: rounded(low, false), high: rounded(high, true) }
    }

    /// A rational number.
    pub fn exactly(number: &RBig) -> Enclosure {
        Enclosure::new(number, number)
    }

    /// The lower bound.
    pub fn low(&self) -> &RBig {
        &self.low
    }

    /// The upper bound.
    pub fn high(&self) -> &RBig {
        &self.high
    }

    /// The enclosure of a number; `None` for an algebraic number and for other values.
    pub fn of(value: &Value) -> Option<Enclosure> {
        match value {
            Value::Int(number) => Some(Enclosure::exactly(&RBig::from(number.clone()))),
            Value::Real(number) => Some(Enclosure::exactly(number)),
            Value::Enclosure(enclosure) => Some((**enclosure).clone()),
            _ => None,
        }
    }

    /// The value; `None` if it is too large.
    pub fn into_value(self) -> Option<Value> {
        let limit = RBig::from(IBig::ONE << MAX_MAGNITUDE_BITS);
        (self.low >= -limit.clone() && self.high <= limit).then(|| Value::Enclosure(Arc::new(self)))
    }

    /// The sum.
    pub fn plus(&self, other: &Enclosure) -> Enclosure {
        Enclosure::new(&(&self.low + &other.low), &(&self.high + &other.high))
    }

    /// The negation.
    pub fn negated(&self) -> Enclosure {
        Enclosure { low: -self.high.clone(), high: -self.low.clone() }
    }

    /// The difference.
    pub fn minus(&self, other: &Enclosure) -> Enclosure {
        self.plus(&other.negated())
    }

    /// The product.
    pub fn times(&self, other: &Enclosure) -> Enclosure {
        let ends = [
            &self.low * &other.low,
            &self.low * &other.high,
            &self.high * &other.low,
            &self.high * &other.high,
        ];
        let low = ends.iter().min().expect("there are four");
        let high = ends.iter().max().expect("there are four");
        Enclosure::new(low, high)
    }

    /// The quotient; `None` if the divisor may be zero.
    pub fn over(&self, other: &Enclosure) -> Option<Enclosure> {
        if other.low <= RBig::ZERO && other.high >= RBig::ZERO {
            return None;
        }
        let inverse = Enclosure::new(&(RBig::ONE / &other.high), &(RBig::ONE / &other.low));
        Some(self.times(&inverse))
    }

    /// The number with an error of at most `error`.
    pub fn widened(&self, error: &RBig) -> Enclosure {
        Enclosure::new(&(&self.low - error), &(&self.high + error))
    }
}

/// The order of two numbers, at least one of them an enclosure; `None` if it is unknown.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    let (a, b) = (Enclosure::of(a)?, Enclosure::of(b)?);
    match () {
        () if a.high < b.low => Some(Ordering::Less),
        () if a.low > b.high => Some(Ordering::Greater),
        () => None,
    }
}

/// The nearest multiple of the unit that is not greater, or not smaller.
fn rounded(number: &RBig, is_up: bool) -> RBig {
    let unit = IBig::ONE << ENCLOSURE_BITS;
    let scaled = number * RBig::from(unit);
    let whole = if is_up { scaled.ceil() } else { scaled.floor() };
    RBig::from_parts(whole, UBig::ONE << ENCLOSURE_BITS)
}
