//! Addition, multiplication, division and square root, each rounded once.

use dashu_int::ops::{BitTest, DivRem, SquareRootRem};
use dashu_int::{IBig, UBig};

use super::rounding::{RoundingMode, TrailingDigits};
use super::{Dyadic, Float, FloatKind, Sign};

impl Float {
    /// `fp.abs`
    pub fn abs(&self) -> Float {
        self.with_sign(Sign::Positive)
    }

    /// `fp.neg`
    pub fn neg(&self) -> Float {
        self.sign().map_or_else(|| self.clone(), |sign| self.with_sign(sign.flipped()))
    }

    /// `fp.add`
    pub fn add(&self, mode: RoundingMode, other: &Float) -> Float {
        match (&self.kind, &other.kind) {
            (FloatKind::NaN, _) | (_, FloatKind::NaN) => Float::nan(self.format),
            (FloatKind::Infinite(a), FloatKind::Infinite(b)) if a != b => Float::nan(self.format),
            (FloatKind::Infinite(_), _) => self.clone(),
            (_, FloatKind::Infinite(_)) => other.clone(),
            (FloatKind::Zero(a), FloatKind::Zero(b)) if a != b => {
                Float::zero(self.format, mode.sign_of_zero_sum())
            }
            (_, FloatKind::Zero(_)) => self.clone(),
            (FloatKind::Zero(_), _) => other.clone(),
            (FloatKind::Finite(a), FloatKind::Finite(b)) => self.sum(mode, a, b),
        }
    }

    /// `fp.sub`
    pub fn sub(&self, mode: RoundingMode, other: &Float) -> Float {
        self.add(mode, &other.neg())
    }

    /// `fp.mul`
    pub fn mul(&self, mode: RoundingMode, other: &Float) -> Float {
        match self.product(other) {
            Product::Value(value) => value,
            Product::Finite(product) => Float::round(self.format, mode, &product),
        }
    }

    /// `fp.fma`: self · factor + summand, rounded once.
    pub fn fma(&self, mode: RoundingMode, factor: &Float, summand: &Float) -> Float {
        match (self.product(factor), &summand.kind) {
            // A product that is zero, infinite or NaN is a value of the format.
            (Product::Value(product), _) => product.add(mode, summand),
            (_, FloatKind::NaN | FloatKind::Infinite(_)) => summand.clone(),
            (Product::Finite(product), FloatKind::Zero(_)) => Float::round(self.format, mode, &product),
            (Product::Finite(product), FloatKind::Finite(summand)) => self.sum(mode, &product, summand),
        }
    }

    /// `fp.div`
    pub fn div(&self, mode: RoundingMode, other: &Float) -> Float {
        let (Some(a), Some(b)) = (self.sign(), other.sign()) else { return Float::nan(self.format) };
        let sign = a.times(b);
        match (&self.kind, &other.kind) {
            (FloatKind::Infinite(_), FloatKind::Infinite(_)) | (FloatKind::Zero(_), FloatKind::Zero(_)) => {
                Float::nan(self.format)
            }
            (FloatKind::Finite(a), FloatKind::Finite(b)) => {
                let exponent = &a.exponent - &b.exponent;
                let quotient = quotient(sign, &a.significand, &b.significand, exponent, self.format.digits());
                Float::round(self.format, mode, &quotient)
            }
            (FloatKind::Infinite(_), _) | (_, FloatKind::Zero(_)) => Float::infinity(self.format, sign),
            _ => Float::zero(self.format, sign),
        }
    }

    /// `fp.sqrt`
    pub fn sqrt(&self, mode: RoundingMode) -> Float {
        match &self.kind {
            FloatKind::Zero(_) | FloatKind::Infinite(Sign::Positive) => self.clone(),
            FloatKind::Finite(number) if number.sign == Sign::Positive => {
                Float::round(self.format, mode, &root(number, self.format.digits()))
            }
            _ => Float::nan(self.format),
        }
    }

    /// The rounded sum of two numbers, of which the first may have more digits than the format.
    fn sum(&self, mode: RoundingMode, a: &Dyadic, b: &Dyadic) -> Float {
        match sum(a, b, self.format.digits()) {
            Some(sum) => Float::round(self.format, mode, &sum),
            None => Float::zero(self.format, mode.sign_of_zero_sum()),
        }
    }

    fn product(&self, other: &Float) -> Product {
        let format = self.format;
        let (Some(a), Some(b)) = (self.sign(), other.sign()) else {
            return Product::Value(Float::nan(format));
        };
        let sign = a.times(b);
        Product::Value(match (&self.kind, &other.kind) {
            (FloatKind::Finite(a), FloatKind::Finite(b)) => {
                let exponent = &a.exponent + &b.exponent;
                return Product::Finite(Dyadic {
                    sign,
                    significand: &a.significand * &b.significand,
                    exponent,
                });
            }
            (FloatKind::Infinite(_), FloatKind::Zero(_)) | (FloatKind::Zero(_), FloatKind::Infinite(_)) => {
                Float::nan(format)
            }
            (FloatKind::Infinite(_), _) | (_, FloatKind::Infinite(_)) => Float::infinity(format, sign),
            _ => Float::zero(format, sign),
        })
    }
}

/// A product before it is rounded.
enum Product {
    /// A value that needs no rounding.
    Value(Float),
    /// All digits of a finite product.
    Finite(Dyadic),
}

/// The sum of two numbers, precise enough to round it to `digits` digits; `None` if it is zero.
fn sum(a: &Dyadic, b: &Dyadic, digits: usize) -> Option<Dyadic> {
    // A number far below the last digit of the other only decides on which side of the other the sum lies;
    // half of that unit decides the same.
    let far = IBig::from(digits + 4);
    for (great, small) in [(a, b), (b, a)] {
        let floor = &great.exponent - &far;
        if small.top() <= floor {
            let small = Dyadic { sign: small.sign, significand: UBig::ONE, exponent: floor - IBig::ONE };
            return exact_sum(great, &small);
        }
    }
    exact_sum(a, b)
}

/// The sum of two numbers with similar exponents.
fn exact_sum(a: &Dyadic, b: &Dyadic) -> Option<Dyadic> {
    let exponent = a.exponent.clone().min(b.exponent.clone());
    let aligned = |number: &Dyadic| {
        let zeros = usize::try_from(&number.exponent - &exponent).expect("the exponents are near");
        number.sign.apply(&number.significand << zeros)
    };
    let sum = aligned(a) + aligned(b);
    let sign = Sign::of(&sum);
    let (_, significand) = sum.into_parts();
    (!significand.is_zero()).then_some(Dyadic { sign, significand, exponent })
}

/// ±numerator/denominator·2^exponent, precise enough to round it to `digits` digits.
pub(super) fn quotient(
    sign: Sign,
    numerator: &UBig,
    denominator: &UBig,
    exponent: IBig,
    digits: usize,
) -> Dyadic {
    let zeros = (digits + 2 + denominator.bit_len()).saturating_sub(numerator.bit_len());
    let (quotient, left_over) = (numerator << zeros).div_rem(denominator);
    Dyadic::with_leading_digits(sign, quotient, exponent - IBig::from(zeros), TrailingDigits::of(&left_over))
}

/// The square root of a positive number, precise enough to round it to `digits` digits.
fn root(number: &Dyadic, digits: usize) -> Dyadic {
    let mut zeros = (2 * digits + 4).saturating_sub(number.significand.bit_len());
    if (&number.exponent - IBig::from(zeros)).bit(0) {
        zeros += 1;
    }
    let (root, left_over) = (&number.significand << zeros).sqrt_rem();
    let exponent = (&number.exponent - IBig::from(zeros)) >> 1;
    Dyadic::with_leading_digits(Sign::Positive, root, exponent, TrailingDigits::of(&left_over))
}
