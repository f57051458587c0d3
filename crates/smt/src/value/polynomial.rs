//! Polynomials over the rationals, with the operations that root isolation needs: division, gcd, Sturm sequences.

use std::cmp::Ordering;

use dashu_int::UBig;
use dashu_int::ops::Gcd as _;
use dashu_ratio::RBig;

/// A polynomial over the rationals: the coefficients from the constant one up, the last not zero.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Polynomial(Vec<RBig>);

impl Polynomial {
    /// The polynomial with these coefficients, from the constant one up.
    pub fn new(mut coefficients: Vec<RBig>) -> Polynomial {
        while coefficients.last().is_some_and(|c| *c == RBig::ZERO) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    /// The coefficients, from the constant one up.
    pub fn coefficients(&self) -> &[RBig] {
        &self.0
    }

    pub(super) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The value at a point.
    pub fn at(&self, point: &RBig) -> RBig {
        self.0.iter().rev().fold(RBig::ZERO, |sum, coefficient| sum * point + coefficient)
    }

    pub(super) fn sign_at(&self, point: &RBig) -> Ordering {
        self.at(point).cmp(&RBig::ZERO)
    }

    pub(super) fn derivative(&self) -> Polynomial {
        let terms = self.0.iter().enumerate().skip(1);
        Polynomial::new(terms.map(|(power, c)| c * RBig::from(UBig::from(power))).collect())
    }

    /// Quotient and remainder of a division by a nonzero polynomial.
    pub(super) fn divide(&self, divisor: &Polynomial) -> (Polynomial, Polynomial) {
        let mut rest = self.0.clone();
        let Some(lead) = divisor.0.last() else { return (Polynomial(Vec::new()), self.clone()) };
        let mut quotient = vec![RBig::ZERO; (self.0.len() + 1).saturating_sub(divisor.0.len())];
        while rest.len() >= divisor.0.len() {
            let shift = rest.len() - divisor.0.len();
            let factor = rest.last().map_or(RBig::ZERO, |top| top / lead);
            for (place, coefficient) in divisor.0.iter().enumerate() {
                rest[place + shift] -= &factor * coefficient;
            }
            quotient[shift] = factor;
            rest.pop();
        }
        (Polynomial::new(quotient), Polynomial::new(rest))
    }

    /// The greatest common divisor, up to a constant factor.
    pub(super) fn gcd(&self, other: &Polynomial) -> Polynomial {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.0.is_empty() {
            let rest = a.divide(&b).1.primitive();
            a = std::mem::replace(&mut b, rest);
        }
        a.primitive()
    }

    /// A positive multiple with integer coefficients that have no common divisor.
    pub(super) fn primitive(&self) -> Polynomial {
        let common = self.0.iter().fold(UBig::ONE, |all, c| {
            let gcd = (&all).gcd(c.denominator());
            all / gcd * c.denominator()
        });
        let scaled: Vec<RBig> = self.0.iter().map(|c| c * RBig::from(common.clone())).collect();
        let content = scaled.iter().fold(UBig::ZERO, |all, c| {
            let (_, magnitude) = c.numerator().clone().into_parts();
            if all == UBig::ZERO {
                magnitude
            } else if magnitude == UBig::ZERO {
                all
            } else {
                all.gcd(magnitude)
            }
        });
        if content == UBig::ZERO {
            return Polynomial(Vec::new());
        }
        Polynomial::new(scaled.into_iter().map(|c| c / RBig::from(content.clone())).collect())
    }

    pub(super) fn square_free(&self) -> Polynomial {
        let common = self.gcd(&self.derivative());
        if common.degree() == 0 { self.primitive() } else { self.divide(&common).0.primitive() }
    }

    /// The Sturm sequence of a square-free polynomial.
    pub(super) fn sturm(&self) -> Vec<Polynomial> {
        let mut chain = vec![self.clone(), self.derivative().primitive()];
        while let [.., a, b] = chain.as_slice()
            && b.degree() > 0
        {
            let rest = a.divide(b).1.primitive();
            let negated = Polynomial(rest.0.into_iter().map(|c| -c).collect());
            if negated.0.is_empty() {
                break;
            }
            chain.push(negated);
        }
        chain
    }

    /// The sum.
    pub(super) fn plus(&self, other: &Polynomial) -> Polynomial {
        let length = self.0.len().max(other.0.len());
        let at = |p: &Polynomial, place: usize| p.0.get(place).cloned().unwrap_or(RBig::ZERO);
        Polynomial::new((0..length).map(|place| at(self, place) + at(other, place)).collect())
    }

    /// The product.
    pub(super) fn times(&self, other: &Polynomial) -> Polynomial {
        let mut product = vec![RBig::ZERO; self.0.len() + other.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial::new(product)
    }

    /// The product with a number.
    pub(super) fn scaled(&self, factor: &RBig) -> Polynomial {
        Polynomial::new(self.0.iter().map(|c| c * factor).collect())
    }

    /// The inverse modulo another polynomial, which must be coprime to this one.
    pub(super) fn inverse(&self, modulus: &Polynomial) -> Option<Polynomial> {
        let (mut a, mut b) = (modulus.clone(), self.divide(modulus).1);
        let (mut x, mut y) = (Polynomial(Vec::new()), Polynomial(vec![RBig::ONE]));
        while b.degree() > 0 {
            let (quotient, rest) = a.divide(&b);
            let next = x.plus(&quotient.times(&y).scaled(&-RBig::ONE));
            (a, b) = (b, rest);
            (x, y) = (y, next);
        }
        let unit = b.0.first()?;
        Some(y.scaled(&(RBig::ONE / unit)))
    }

    /// The bounds of the values between two points, by interval arithmetic.
    pub(super) fn range(&self, low: &RBig, high: &RBig) -> (RBig, RBig) {
        self.0.iter().rev().fold((RBig::ZERO, RBig::ZERO), |(least, greatest), coefficient| {
            let products = [&least * low, &least * high, &greatest * low, &greatest * high];
            let least = products.iter().min().cloned().unwrap_or(RBig::ZERO);
            let greatest = products.into_iter().max().unwrap_or(RBig::ZERO);
            (least + coefficient, greatest + coefficient)
        })
    }

    /// A bound on the absolute value of every root.
    pub(super) fn bound(&self) -> RBig {
        let Some((lead, rest)) = self.0.split_last() else { return RBig::ONE };
        let largest = rest.iter().map(|c| abs(&(c / lead))).max().unwrap_or(RBig::ZERO);
        largest + RBig::ONE
    }
}

/// The number of sign changes of a Sturm sequence at a point.
pub(super) fn changes(chain: &[Polynomial], point: &RBig) -> usize {
    let signs = chain.iter().map(|p| p.sign_at(point)).filter(|sign| sign.is_ne());
    let signs: Vec<Ordering> = signs.collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

pub(super) fn abs(number: &RBig) -> RBig {
    if *number < RBig::ZERO { -number } else { number.clone() }
}
