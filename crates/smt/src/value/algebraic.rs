//! Real algebraic numbers: irrational roots of polynomials, as z3 and cvc5 print them.
//!
//! ```text
//! (root-obj (+ (^ x 2) (- 2)) 2)      the second root of x² - 2, counted from below: the square root of two
//! ```
//!
//! A number is a square-free polynomial with integer coefficients and an interval that contains exactly one of its roots. It is
//! compared with others by the signs of polynomials at rationals; two numbers that bisection cannot separate are equal if the
//! greatest common divisor of their polynomials has a root in both intervals, which is again a count of roots (Sturm).

use std::cmp::Ordering;
use std::sync::Arc;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::Value;
use super::polynomial::{Polynomial, abs, changes};

/// The maximal number of bisections to separate two numbers.
const MAX_BISECTIONS: usize = 400;
/// The maximal degree.
const MAX_DEGREE: usize = 40;

/// An irrational root of a polynomial.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Root {
    polynomial: Polynomial,
    /// The number of the root, from below, from one.
    index: usize,
    low: RBig,
    high: RBig,
}

impl Root {
    /// Root number `index` of a polynomial, from below, from one; a rational root is a rational value.
    pub fn number(polynomial: &Polynomial, index: usize) -> Option<Value> {
        if polynomial.degree() == 0 || polynomial.degree() > MAX_DEGREE {
            return None;
        }
        let polynomial = polynomial.square_free();
        let chain = polynomial.sturm();
        let (mut low, mut high) = (-polynomial.bound(), polynomial.bound());
        let below = changes(&chain, &low);
        let total = below.checked_sub(changes(&chain, &high))?;
        if index == 0 || index > total {
            return None;
        }
        // Bisect until the interval (low, high] contains this root and no other.
        for _ in 0..MAX_BISECTIONS {
            let (to_low, to_high) = (below - changes(&chain, &low), below - changes(&chain, &high));
            if to_low + 1 == index && to_high == index {
                return Some(Root { polynomial, index, low, high }.into_value());
            }
            let middle = half(&low, &high);
            if below - changes(&chain, &middle) >= index {
                high = middle;
            } else {
                low = middle;
            }
        }
        None
    }

    /// The root of a polynomial between two rationals, as cvc5 prints it.
    pub fn between(polynomial: &Polynomial, low: &RBig, high: &RBig) -> Option<Value> {
        if polynomial.degree() == 0 || polynomial.degree() > MAX_DEGREE || low >= high {
            return None;
        }
        let square_free = polynomial.square_free();
        let chain = square_free.sturm();
        let bottom = -square_free.bound();
        let before = changes(&chain, &bottom).checked_sub(changes(&chain, low))?;
        let up_to = changes(&chain, &bottom).checked_sub(changes(&chain, high))?;
        (up_to == before + 1).then(|| Root::number(polynomial, up_to))?
    }

    /// The polynomial and the number of the root.
    pub fn parts(&self) -> (&Polynomial, usize) {
        (&self.polynomial, self.index)
    }

    /// The value: rational if the root is.
    fn into_value(self) -> Value {
        if self.polynomial.degree() == 1 {
            let [constant, lead] = self.polynomial.coefficients() else {
                unreachable!("a line has two coefficients")
            };
            return Value::Real(-(constant / lead));
        }
        if let Some(root) = self.rational_root() {
            return Value::Real(root);
        }
        Value::Algebraic(Arc::new(Algebraic {
            root: Arc::new(self),
            expression: Polynomial::new(vec![RBig::ZERO, RBig::ONE]),
        }))
    }

    /// The root itself, if it is rational: its denominator divides the leading coefficient, so narrowing the
    /// interval below one over that coefficient squared leaves one candidate.
    fn rational_root(&self) -> Option<RBig> {
        let lead = self.polynomial.coefficients().last()?.numerator().clone();
        let width =
            RBig::ONE / (RBig::from(lead.clone()) * RBig::from(lead.clone()) * RBig::from(UBig::from(2u8)));
        let mut narrow = self.clone();
        for _ in 0..MAX_BISECTIONS {
            if &narrow.high - &narrow.low < abs(&width) {
                break;
            }
            narrow.bisect();
        }
        // The only multiple of 1/lead near the interval.
        let lead = abs(&RBig::from(lead));
        let candidate = (&narrow.high * &lead).floor();
        let candidate = RBig::from(candidate) / lead;
        let is_root =
            self.polynomial.sign_at(&candidate).is_eq() && candidate > narrow.low && candidate <= narrow.high;
        is_root.then_some(candidate)
    }

    /// Bisects the interval.
    fn bisect(&mut self) {
        let middle = half(&self.low, &self.high);
        let at_high = self.polynomial.sign_at(&self.high);
        let at_middle = self.polynomial.sign_at(&middle);
        if at_high.is_eq() || at_middle.is_eq() {
            // Only a rational root can lie on an end; a small step keeps it inside.
            if at_middle.is_eq() { self.high = middle } else { self.low = middle }
        } else if at_middle == at_high {
            self.high = middle;
        } else {
            self.low = middle;
        }
    }
}

impl Root {
    /// The sign of a polynomial at this root.
    fn sign_of(&self, polynomial: &Polynomial) -> Option<Ordering> {
        let rest = polynomial.divide(&self.polynomial).1;
        if rest.coefficients().is_empty() {
            return Some(Ordering::Equal);
        }
        let common = rest.gcd(&self.polynomial);
        if common.degree() > 0 {
            let chain = common.square_free().sturm();
            if changes(&chain, &self.low) > changes(&chain, &self.high) {
                return Some(Ordering::Equal);
            }
        }
        // Where the polynomial has no root in the interval, its sign is that at either end.
        let chain = rest.square_free().sturm();
        let mut narrow = self.clone();
        for _ in 0..MAX_BISECTIONS {
            if changes(&chain, &narrow.low) == changes(&chain, &narrow.high)
                && rest.sign_at(&narrow.high).is_ne()
            {
                return Some(rest.sign_at(&narrow.high));
            }
            narrow.bisect();
        }
        None
    }

    /// Returns true if this is the same number as another root.
    fn is(&self, other: &Root) -> bool {
        let common = self.polynomial.gcd(&other.polynomial);
        let (low, high) = ((&self.low).max(&other.low), (&self.high).min(&other.high));
        if common.degree() == 0 || low >= high {
            return false;
        }
        // A common root of both polynomials in both intervals is the root of each.
        let chain = common.square_free().sturm();
        changes(&chain, low) > changes(&chain, high)
    }
}

/// A polynomial at an irrational root: arithmetic on one root and rationals makes only such numbers.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Algebraic {
    root: Arc<Root>,
    expression: Polynomial,
}

impl Algebraic {
    /// The root, and the polynomial whose value there is the number.
    pub fn parts(&self) -> (&Root, &Polynomial) {
        (&self.root, &self.expression)
    }

    fn with(&self, expression: &Polynomial) -> Value {
        let expression = expression.divide(&self.root.polynomial).1;
        match expression.coefficients() {
            [] => Value::Real(RBig::ZERO),
            [constant] => Value::Real(constant.clone()),
            _ => Value::Algebraic(Arc::new(Algebraic { root: Arc::clone(&self.root), expression })),
        }
    }

    fn is_plain(&self) -> bool {
        *self.expression.coefficients() == [RBig::ZERO, RBig::ONE]
    }
}

/// Two numbers as polynomials at the same root, if they are.
fn at_common_root<'a>(a: &'a Value, b: &'a Value) -> Option<(&'a Algebraic, Polynomial, Polynomial)> {
    let rational = |value: &Value| match value {
        Value::Int(number) => Some(Polynomial::new(vec![RBig::from(number.clone())])),
        Value::Real(number) => Some(Polynomial::new(vec![number.clone()])),
        _ => None,
    };
    match (a, b) {
        (Value::Algebraic(a), Value::Algebraic(b)) => {
            let same = a.root == b.root || a.root.is(&b.root);
            same.then(|| (&**a, a.expression.clone(), b.expression.clone()))
        }
        (Value::Algebraic(a), b) => Some((a, a.expression.clone(), rational(b)?)),
        (a, Value::Algebraic(b)) => Some((b, rational(a)?, b.expression.clone())),
        _ => None,
    }
}

/// The sum of two numbers, at least one of them irrational; `None` if they have different roots.
pub fn sum(a: &Value, b: &Value) -> Option<Value> {
    let (number, a, b) = at_common_root(a, b)?;
    Some(number.with(&a.plus(&b)))
}

/// The product of two numbers, at least one of them irrational.
pub fn product(a: &Value, b: &Value) -> Option<Value> {
    let (number, a, b) = at_common_root(a, b)?;
    Some(number.with(&a.times(&b)))
}

/// The quotient of two numbers, at least one of them irrational; the second must not be zero.
pub fn quotient(a: &Value, b: &Value) -> Option<Value> {
    let (number, a, b) = at_common_root(a, b)?;
    Some(number.with(&a.times(&b.inverse(&number.root.polynomial)?)))
}

/// The floor of the number.
pub fn floor(number: &Algebraic) -> Option<IBig> {
    let mut narrow = number.root.as_ref().clone();
    for _ in 0..MAX_BISECTIONS {
        let (least, greatest) = number.expression.range(&narrow.low, &narrow.high);
        if least.floor() == greatest.floor() {
            return Some(least.floor());
        }
        narrow.bisect();
    }
    None
}

/// Compares two real numbers; `None` if the result is not found.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), _) => compare(&Value::Real(RBig::from(a.clone())), b),
        (_, Value::Int(b)) => compare(a, &Value::Real(RBig::from(b.clone()))),
        (Value::Real(a), Value::Real(b)) => Some(a.cmp(b)),
        _ => match at_common_root(a, b) {
            Some((number, a, b)) => number.root.sign_of(&a.plus(&b.scaled(&-RBig::ONE))),
            None => compare_by_narrowing(a, b),
        },
    }
}

/// Compares two numbers of different roots by narrowing both intervals.
fn compare_by_narrowing(a: &Value, b: &Value) -> Option<Ordering> {
    let (Value::Algebraic(a), Value::Algebraic(b)) = (a, b) else { return None };
    let (mut root_a, mut root_b) = (a.root.as_ref().clone(), b.root.as_ref().clone());
    // Different roots can be separated, however near they are; for other numbers that is unknown.
    let halvings = if a.is_plain() && b.is_plain() { MAX_BISECTIONS } else { 200 };
    for _ in 0..halvings {
        let range_a = a.expression.range(&root_a.low, &root_a.high);
        let range_b = b.expression.range(&root_b.low, &root_b.high);
        if range_a.1 < range_b.0 {
            return Some(Ordering::Less);
        }
        if range_b.1 < range_a.0 {
            return Some(Ordering::Greater);
        }
        root_a.bisect();
        root_b.bisect();
    }
    None
}

fn half(low: &RBig, high: &RBig) -> RBig {
    (low + high) / RBig::from(UBig::from(2u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(coefficients: &[i32]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|&c| RBig::from(IBig::from(c))).collect())
    }

    #[test]
    fn roots_are_counted_from_below() {
        let two = polynomial(&[-2, 0, 1]);
        let (negative, positive) = (Root::number(&two, 1).unwrap(), Root::number(&two, 2).unwrap());
        assert_eq!(compare(&negative, &positive), Some(Ordering::Less));
        assert_eq!(compare(&positive, &Value::int(1)), Some(Ordering::Greater));
        assert_eq!(compare(&positive, &Value::int(2)), Some(Ordering::Less));
        assert_eq!(Root::number(&two, 3), None);
        assert_eq!(Root::number(&two, 0), None);
    }

    #[test]
    fn equal_roots_of_different_polynomials_are_equal() {
        let two = Root::number(&polynomial(&[-2, 0, 1]), 2).unwrap();
        let four = Root::number(&polynomial(&[-4, 0, 0, 0, 1]), 2).unwrap();
        assert_eq!(compare(&two, &four), Some(Ordering::Equal), "the fourth root of four");
        assert_eq!(product(&four, &four).unwrap().equal(&Value::int(2)), Some(true));
        let inverse = quotient(&Value::int(1), &two).unwrap();
        assert_eq!(product(&inverse, &two).unwrap(), Value::Real(RBig::ONE));
        let three = Root::number(&polynomial(&[-3, 0, 1]), 2).unwrap();
        assert_eq!(compare(&two, &three), Some(Ordering::Less));
        assert_eq!(sum(&two, &three), None, "no common root");
    }

    #[test]
    fn a_rational_root_is_a_rational() {
        let root = Root::number(&polynomial(&[3, -5, -3, 5]), 2);
        assert_eq!(root, Some(Value::Real(RBig::from_parts(3.into(), 5u8.into()))));
        assert_eq!(Root::number(&polynomial(&[-4, 0, 1]), 1), Some(Value::Real(RBig::from(IBig::from(-2)))));
    }
}
